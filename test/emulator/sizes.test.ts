import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { controlEndpoints, type Endpoint, endpoints, oauthEndpoints } from '../../src/contract/index.ts'
import { type InsideWorld, openWorld } from '../conformance/targets/inject.ts'
import { everyNth } from '../support/full.ts'

const small = 16 * 1024
const times = 8

/**
 * `slack`: allowed factor over linear cost, for garbage and caches. `floor`: CPU milliseconds below which a measurement
 * is meaningless.
 */
const slack = 3
const floor = 4

type Shape = (length: number) => string

const repeated = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length))
const list = (length: number, item: (at: number) => string) =>
  Array.from({ length: Math.ceil(length / (item(10_000).length + 1)) }, (_, at) => item(at)).join(',')

/** JSON values of a given approximate length. */
const values: Readonly<Record<string, Shape>> = {
  'a long text': (length) => `"${repeated('a', length)}"`,
  'a long text of other letters': (length) => `"http://a@a${repeated(' a.b@/1', length)}"`,
  'an array of different texts': (length) => `[${list(length, (at) => `"x${at}"`)}]`,
  'an array of one text': (length) => `[${list(length, () => '"payment.created"')}]`,
  'an array of arrays': (length) => `[${list(length, () => '[]')}]`,
  'an object of many names': (length) => `{${list(length, (at) => `"x ${at}":1`)}}`,
  'nested arrays': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
}

/** Forms of a given approximate length. */
const forms: Readonly<Record<string, Shape>> = {
  'one name many times': (length) => repeated('grant=read-user&', length),
  'many names': (length) => list(length, (at) => `x${at}=1`).replaceAll(',', '&'),
  'a long value': (length) => `scope=${repeated('a+', length)}`,
}

interface Wire {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string
}

const id = '01900000-0000-7000-8000-0000000000ff'
const urlOf = ({ path }: { path: string }) => path.replace(/\{\w+\}/g, id)
/** Endpoints whose answers are about the whole world or earlier requests, not about the current request. */
const longAnswers = (['control.report', 'control.export', 'control.story', 'control.breaches'] as const).map(
  (id) => controlEndpoints[id],
)
const usualLength = ({ url }: Wire): number =>
  longAnswers.some(({ path }) => url.startsWith(path)) ? 128 * 1024 : small
const consent = '?client_id=payctl&response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback'

describe('what a request costs grows with its size and no faster', () => {
  let world: InsideWorld
  let headers: Record<string, string>
  beforeAll(async () => {
    world = await openWorld({ rateLimit: null })
    headers = { Authorization: `Bearer ${world.token}`, 'X-Idempotency-Key': 'one' }
  })
  afterAll(() => world.close())

  /** CPU milliseconds that a request costs this thread. */
  async function costOf(wire: Wire): Promise<number> {
    const before = process.threadCpuUsage()
    const { status, text } = await world.exchange(wire)
    const { user, system } = process.threadCpuUsage(before)
    expect(status, text.slice(0, 200)).toBeLessThan(500)
    expect(text.length, wire.url.slice(0, 60)).toBeLessThanOrEqual(
      Math.max(usualLength(wire), wire.payload?.length ?? 0),
    )
    return (user + system) / 1000
  }

  /** Garbage of other tests may affect a single measurement, so the best of a few measurements counts. */
  async function expectLinear(what: string, wireOf: (length: number) => Wire, length = small): Promise<void> {
    let best = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 3 && best > times * slack; tries++) {
      const unit = Math.max(floor, await costOf(wireOf(length)))
      best = Math.min(best, (await costOf(wireOf(length * times))) / unit)
    }
    expect(best, `${what} costs ${best.toFixed(0)} times as much when it is ${times} times as long`).toBeLessThan(
      times * slack,
    )
  }

  const bodies = Object.entries<Endpoint>({ ...endpoints, ...controlEndpoints }).filter(([, row]) => row.body)

  test.each(bodies)('%s: every field of its body, and the body itself', async (name, row) => {
    const json = { ...headers, 'Content-Type': 'application/json' }
    const fields = [...Object.keys(row.body?.properties ?? {}), 'unknown', null]
    for (const [nth, field] of fields.entries()) {
      for (const [shape, make] of everyNth(Object.entries(values), 7, nth)) {
        await expectLinear(`${shape} as ${field ?? 'the body'} of ${name}`, (length) => ({
          method: row.method,
          url: urlOf(row),
          headers: json,
          payload: field === null ? make(length) : `{"${field}":${make(length)}}`,
        }))
      }
    }
  })

  test.each(['oauth.decide', 'oauth.token'] as const)('%s: forms and JSON', async (name) => {
    const row = oauthEndpoints[name]
    const url = `${row.path}${name === 'oauth.decide' ? consent : ''}`
    const asked = { 'application/json': values, 'application/x-www-form-urlencoded': forms }
    for (const [type, shapes] of Object.entries(asked)) {
      for (const [shape, make] of Object.entries(shapes)) {
        const payload = (length: number) => (type.endsWith('json') ? `{"grant":${make(length)}}` : make(length))
        await expectLinear(`${shape} to ${name}`, (length) => ({
          method: row.method,
          url,
          headers: { 'Content-Type': type },
          payload: `${payload(length)}`,
        }))
      }
    }
  })

  test('paths, queries and headers, as far as Node takes them', async () => {
    const most = 16 * 1024
    const rows = [
      // An event stream has no end.
      ...Object.values<Endpoint>({ ...endpoints, ...controlEndpoints }).filter(({ stream }) => !stream),
      ...Object.values(oauthEndpoints),
    ]
    const wires: Readonly<Record<string, (row: { path: string }, length: number) => Partial<Wire>>> = {
      'a long parameter': ({ path }, length) => ({ url: path.replace(/\{\w+\}/g, repeated('5', length)) }),
      'a longer path': (row, length) => ({ url: urlOf(row) + repeated('/a', length) }),
      'a long value': (row, length) => ({ url: `${urlOf(row)}?page=${repeated('1', length)}` }),
      'many values': (row, length) => ({ url: `${urlOf(row)}?${repeated('page=1&', length)}` }),
      'many names': (row, length) => ({ url: `${urlOf(row)}?${forms['many names']?.(length)}` }),
      'a long token': (_, length) => ({ headers: { Authorization: `Bearer ${repeated(' ', length)}` } }),
      'long basic credentials': (_, length) => ({ headers: { Authorization: `Basic ${repeated('YTp', length)}` } }),
      'a long key': (_, length) => ({ headers: { ...headers, 'X-Idempotency-Key': repeated('k ', length) } }),
      'a long Host': (_, length) => ({ headers: { ...headers, Host: repeated('a:', length) } }),
    }
    for (const [nth, row] of rows.entries()) {
      for (const [what, change] of everyNth(Object.entries(wires), 9, nth)) {
        const wireOf = (length: number): Wire => ({
          method: row.method,
          url: urlOf(row),
          headers,
          ...(row.method === 'POST' && { payload: '' }),
          ...change(row, length),
        })
        await expectLinear(`${what} to ${row.method} ${row.path}`, wireOf, most / times)
      }
    }
  })
})

test('a list that is too long is reported as such, without its content', async () => {
  const world = await openWorld()
  const { path, method } = endpoints['webhooks.create']
  const ask = async (body: object) => {
    const headers = { Authorization: `Bearer ${world.token}`, 'Content-Type': 'application/json' }
    const { status, text } = await world.exchange({ method, url: path, headers, payload: JSON.stringify(body) })
    return { status, errors: JSON.parse(text).errors }
  }
  const url = 'https://example.com/hook'
  const events = (count: number) => Array.from({ length: count }, () => 'payment.created')
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'v']))

  expect(await ask({ url, events: events(101) })).toEqual({
    status: 422,
    errors: { events: ['The events field must not have more than 100 items.'] },
  })
  expect(await ask({ url, events: events(1), headers: headers(21) })).toEqual({
    status: 422,
    errors: { headers: ['The headers field must not have more than 20 items.'] },
  })
  expect(await ask({ url, events: events(100), headers: headers(20) })).toMatchObject({ status: 201 })
  await world.close()
})
