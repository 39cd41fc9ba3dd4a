import { describe, expect, it } from 'vitest'
import { type ControlId, controlEndpoints, type Endpoint } from '../../../src/contract/index.ts'
import { startWorld } from './world.ts'

const rows: readonly (readonly [string, Endpoint])[] = Object.entries(controlEndpoints)
const withBody = rows.filter(([, { body, upload }]) => body && !upload).map(([id]) => id as ControlId)

/** Paths of the objects in a schema that allow unnamed members. Leaves maps out: handlers check their names. */
function openObjects(schema: unknown, place: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, additionalProperties, patternProperties } = schema as { readonly [keyword: string]: unknown }
  const isOpen = type === 'object' && additionalProperties !== false && patternProperties === undefined
  const here = isOpen ? [place] : []
  const inner = Object.entries(schema).filter(([key]) => !key.startsWith('x-'))
  return [...here, ...inner.flatMap(([key, value]) => openObjects(value, `${place}.${key}`))]
}

const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]))

/** Names of members that every object inherits. */
const inherited = Object.getOwnPropertyNames(Object.prototype)

/** JSON text, because an object literal can't have a member `__proto__`. */
const bodyWith = (name: string, value: unknown): string => `{${JSON.stringify(name)}: ${JSON.stringify(value)}}`

describe('a member that every object inherits', () => {
  it.each(inherited)('is a wrong name: %s in body, query and path of every control endpoint', async (name) => {
    const { emulator, colones } = await startWorld({ onFault: () => {} })
    for (const [id, { method, path, body, upload, stream }] of rows) {
      if (stream) continue
      const url = `${emulator.baseUrl}${path.replace(/\{\w+\}/g, body ? colones : name)}?${new URLSearchParams({ [name]: '1' })}`
      const headers = { 'Content-Type': upload?.type ?? 'application/json' }
      const answer = await fetch(url, { method, ...(method !== 'GET' && { body: bodyWith(name, 1), headers }) })
      const text = await answer.text()
      expect(answer.status, id).toBeLessThan(500)
      if (!body || upload) continue
      const { errors } = JSON.parse(text) as { readonly errors?: object }
      expect(Object.keys(errors ?? {}), id).toContain(name)
    }
  })

  it.each([
    ['control.worlds.create', 'from'],
    ['control.worlds.create', 'chaos'],
    ['control.rails.set', 'pin'],
    ['control.fees.set', 'pin'],
  ] as const)('is a wrong name inside the body of %s, in %s', async (id, member) => {
    const { emulator } = await startWorld({ onFault: () => {} })
    const { method, path } = controlEndpoints[id]
    for (const name of inherited) {
      const body = `{"${member}": ${bodyWith(name, 1)}}`
      const init = { method, body, headers: { 'Content-Type': 'application/json' } }
      expect((await fetch(`${emulator.baseUrl}${path}`, init)).status, name).toBe(422)
    }
  })
})

describe('a mistyped member', () => {
  it.each(withBody)('is refused and named in the body of %s', async (id) => {
    const { ask, colones } = await startWorld()
    const { status, body } = await ask(id, { params: { id: colones }, body: { time_out: 1 } })
    expect(status).toBe(422)
    expect(body.errors).toMatchObject({ time_out: ['The time_out field does not exist.'] })
  })

  it.each(withBody)('is refused in each object within the body of %s', (id) => {
    const { body }: Endpoint = controlEndpoints[id]
    expect(openObjects(body, id)).toEqual([])
  })

  it.each(['params', 'query'] as const)(
    'is refused in %s of an assertion, where no request could match it',
    async (map) => {
      const { ask } = await startWorld()
      const body = { endpoint: 'payments.get', [map]: { payment_id: '1' } } as const
      const { status, body: answer } = await ask('control.assertions.received', { body })
      expect({ status, message: answer.message }).toEqual({
        status: 422,
        message: `The ${map}.payment_id field does not exist.`,
      })
    },
  )

  it.each([
    [{ chaos: { seed: 7, profle: 'hostile' } }, 'chaos.profle'],
    [{ chaos: { seed: 7, profileFile: 'hostile.yaml' } }, 'chaos.profileFile'],
    [{ chaos: { seed: 7, profile: { lost_answer: 1 } } }, 'chaos.profile.lost_answer'],
    [{ from: { sed: 'demo' } }, 'from.sed'],
    [{ chaoss: { seed: 7 } }, 'chaoss'],
  ])('makes no world of %j', async (body, field) => {
    const { ask, steer } = await startWorld()
    const refused = await ask('control.worlds.create', { body })
    expect(refused).toMatchObject({ status: 422, body: { message: `The ${field} field does not exist.` } })
    expect(refused.body.errors).toEqual({ [field]: [`The ${field} field does not exist.`] })
    expect((await steer('control.worlds.list')).total).toBe(1)
  })

  it('is one of ten that are named, beside what is missing', async () => {
    const { ask } = await startWorld()
    const many = await ask('control.clock.advance', { body: numbered(1000) })
    expect(Object.keys(many.body.errors)).toEqual(['ms', ...Object.keys(numbered(10))])
    const long = await ask('control.clock.advance', { body: { ms: 1, ['x'.repeat(100_000)]: 1 } })
    expect(Object.keys(long.body.errors)).toEqual(['x'.repeat(60)])
  })

  it('of a rule for faults is named to a program too', async () => {
    const { emulator } = await startWorld()
    const mistyped = { endpoit: 'user.get', status: 429 } as object
    expect(() => emulator.control.addFault(mistyped)).toThrow('The endpoit field does not exist.')
  })

  it('is ignored by the service itself', async () => {
    const { emulator } = await startWorld()
    const answer = await fetch(`${emulator.baseUrl}/api/accounts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${emulator.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ currency: 'CRC', curency: 'USD' }),
    })
    expect(answer.status).toBe(201)
  })
})

it('a message names a member as it is typed', async () => {
  const { ask } = await startWorld()
  const wrong = { ttl_seconds: 0, chaos: { seed: 1, profile: { lost_answers: 3 } } }
  expect((await ask('control.worlds.create', { body: wrong })).body.errors).toEqual({
    ttl_seconds: ['The ttl_seconds field must be at least 1.'],
    'chaos.profile.lost_answers': ['The chaos.profile.lost_answers field must not be greater than 1.'],
  })
})
