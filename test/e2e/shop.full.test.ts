import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  buildGo,
  chaotic,
  countsIn,
  emulate,
  environmentOf,
  go,
  goSuite,
  pythonSuite,
  type ShopSuite,
  suites,
  vitestSuite,
} from './shop/suites.ts'

const hasPython =
  execaSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { reject: false }).exitCode === 0

describe('the tests of a shop', () => {
  it.for(suites)('pass: $name', { timeout: 120_000 }, async (suite, { skip }) => {
    skip(suite.command.includes('python3') && !hasPython, 'There is no Python 3.9')
    const [file = '', ...args] = suite.command
    const env = environmentOf(suite, mkdtempSync(join(tmpdir(), 'payctl-shop-')))
    const { exitCode, all } = await execa(file, args, { env, extendEnv: false, reject: false, all: true })
    expect(exitCode, all).toBe(0)
    expect(all).toMatch(/\b41 (passed|tests, 0 failed)/)
  })
})

describe('the tests of a shop with chaos', () => {
  it.for(suites.filter(({ command }) => command[0] === emulate[0] && command.includes('emulate')))(
    'pass by the verdict: $name',
    { timeout: 240_000 },
    async (suite, { skip }) => {
      skip(suite.command.includes('python3') && !hasPython, 'There is no Python 3.9')
      const [file = '', ...args] = [...chaotic(['--chaos', '1']), ...suite.command.slice(emulate.length)]
      const env = environmentOf(suite, mkdtempSync(join(tmpdir(), 'payctl-shop-')))
      const { exitCode, all } = await execa(file, args, { env, extendEnv: false, reject: false, all: true })
      expect(exitCode, all).toBe(0)
      expect(all).toContain('Chaos 1, hostile: ')
    },
  )
})

/** Runs a suite with a planted mistake. Counts the orders paid twice, with SQL and in the report. */
async function runMistaken(suite: ShopSuite, mistake: string, flags: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-shop-'))
  const [file = '', ...args] = [...chaotic(['--chaos-seeds', '20', ...flags]), ...suite.command]
  const env = { ...suite.env, SHOP_MISTAKE: mistake, SHOP_COUNTS: folder }
  const own = environmentOf({ ...suite, env }, folder)
  const { exitCode, all } = await execa(file, args, { env: own, extendEnv: false, reject: false, all: true })
  return { exitCode, all, books: countsIn(folder) }
}

// One mistake of each suite is tried here: `node test/e2e/shop/chaos.ts` tries all of them.

/** Requires that a mistake was found, and that SQL and the report count the same doubles. */
function requireFound({ exitCode, all, books }: Awaited<ReturnType<typeof runMistaken>>): void {
  expect(exitCode, all).toBe(6)
  expect(books.filter(({ sql, report }) => sql !== report)).toEqual([])
  expect(books.some(({ sql }) => sql > 0)).toBe(true)
}

/** The search for the fewest faults takes minutes with these suites: `node test/e2e/shop/chaos.ts` does it. */
const withoutReduction = ['--chaos-jobs', '4', '--chaos-reduce', '0']

describe('the shop in TypeScript', () => {
  it('with key-in-memory fails within 20 seeds; the report and SQL count the same doubles', {
    timeout: 240_000,
  }, async () => {
    requireFound(await runMistaken(vitestSuite, 'key-in-memory', withoutReduction))
  })
})

describe.skipIf(!hasPython)('the shop in Python', () => {
  it('with refund-twice fails within 20 seeds; the report and SQL count the same doubles', {
    timeout: 240_000,
  }, async () => {
    requireFound(await runMistaken(pythonSuite, 'refund-twice', withoutReduction))
  })
})

const hasGo = /go1\.(19|[2-9]\d)/.test(execaSync('go', ['version'], { reject: false }).stdout ?? '')

describe.skipIf(!hasGo)('the shop in Go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-shop-'))
  beforeAll(() => buildGo(folder), 120_000)

  /** Runs the shop's tests. Counts the orders paid twice, with SQL and in the report. */
  async function run(command: readonly string[]) {
    const counts = mkdtempSync(join(folder, 'counts-'))
    const [file = '', ...args] = [...command, ...go(folder)]
    const env = environmentOf({ name: '', command, env: { SHOP_COUNTS: counts } }, folder)
    const { exitCode, all } = await execa(file, args, { env, extendEnv: false, reject: false, all: true })
    return { exitCode, all, books: countsIn(counts) }
  }

  it('passes', { timeout: 120_000 }, async () => {
    const { exitCode, all, books } = await run(emulate)
    expect(all).toContain('PASS')
    expect({ exitCode, books }).toEqual({ exitCode: 0, books: [{ sql: 0, report: 0, suspected: 0 }] })
  })

  it('passes with any chaos', { timeout: 120_000 }, async () => {
    const { exitCode, all } = await run(chaotic(['--chaos-seeds', '2', '--chaos-all', '--chaos-reduce', '0']))
    expect(exitCode, all).toBe(0)
    expect(all).toContain('None of 2 seeds failed')
  })

  it('with new-key fails within 20 seeds, by three faults at most; the report and SQL count the same doubles', {
    timeout: 480_000,
  }, async () => {
    const found = await runMistaken(goSuite(folder), 'new-key')
    requireFound(found)
    expect(found.all).toMatch(/^Seed \d+ needs [123] of \d+ faults? to fail/m)
  })
})
