import { beforeAll, describe, expect, test } from 'vitest'
import { type CampaignResult, runCases } from '../campaign.ts'
import { mutants, noMutant } from './mutants.ts'

const named = (target: string, name: string) => `${target} > ${name}`
const cases = [...new Set(mutants.map(({ caughtBy }) => caughtBy))]

/** Results of the cases by target. */
let results: ReadonlyMap<string, CampaignResult>

const run = (only: readonly string[]) =>
  runCases({
    file: 'mutants/mutants.campaign.ts',
    only,
    orders: mutants.map(({ name }) => name),
    secrets: {},
    printsGroups: false,
  })

const nameOf = ({ target, group, name }: CampaignResult) => [target, group, name].join(' > ')

beforeAll(async () => {
  const first = await run([
    ...cases.map((each) => named(noMutant, each)),
    ...mutants.map(({ name, caughtBy }) => named(name, caughtBy)),
  ])
  // The cases of a failed set-up are undecided, so they run again.
  const undecided = first.cases.filter((result) => 'undecided' in result && result.undecided)
  const second = undecided.length > 0 ? (await run(undecided.map(nameOf))).cases : []
  results = new Map([...first.cases, ...second].map((result) => [nameOf(result), result]))
}, 180_000)

describe('a service with one thing wrong', () => {
  test.each(mutants.map(({ name, caughtBy }) => [name, caughtBy]))('%s: told by “%s”', (name, caughtBy) => {
    const result = results.get(named(name, caughtBy))

    expect(result, JSON.stringify(result)).toMatchObject({ result: 'differs' })
  })

  test.each(cases)('without it “%s” passes', (name) => {
    const result = results.get(named(noMutant, name))

    expect(result, JSON.stringify(result)).toMatchObject({ result: 'passed' })
  })
})

test('mutants have different names', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(30)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})
