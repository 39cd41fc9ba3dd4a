import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type ControlId,
  controlEndpoints,
  documents,
  type Endpoint,
  endpoints,
  oauthEndpoints,
  pagePaths,
  worldNamePattern,
} from '../../../src/contract/index.ts'
import {
  type Answered,
  type Company,
  changesTeams,
  digestOf,
  exchange,
  type Input,
  memberAt,
  newKey,
  startCompany,
} from './company.ts'

/** Worlds of the team payments, one in each state. All names have the same length. */
const victims = ['payments.open', 'payments.shut', 'payments.torn', 'payments.gone'] as const
const unknown = 'payments.none'

const control = Object.entries<Endpoint>(controlEndpoints) as [ControlId, Endpoint][]

/**
 * A company in which the team payments has the worlds of `victims`, and a snapshot. `markers`: strings of the victims
 * that nobody else may see.
 */
async function attacked() {
  const company = await startCompany({ openWorlds: 2 })
  const { payments, admin, folder } = company
  const made = []
  for (const name of victims) made.push(await payments.make({ name, rng_stream: 'stream-of-payments' }))
  await payments.ask('control.snapshots.create', { body: { name: 'kept' } }, 'payments.gone')
  await payments.ask('control.worlds.delete', { params: { name: 'payments.gone' } })
  // Opening one world closes another, because at most two may be open at a time.
  await payments.ask('control.state', {}, 'payments.open')
  const worlds = join(folder, 'worlds')
  const files = readdirSync(worlds, { recursive: true, encoding: 'utf8' })
  const torn = files.find((file) => file.includes('payments.torn') && !/-(wal|shm)$/.test(file))
  writeFileSync(join(worlds, torn ?? ''), 'not a database')
  const [open] = made
  expect((await exchange(`${company.baseUrl}/w/payments.torn/_emulator/state`, bearer(payments.key))).status).toBe(503)
  const markers = [
    'stream-of-payments',
    'payments.kept',
    ...made.flatMap(({ id, token, client_id, client_secret }) => [id, token, client_id, client_secret]),
  ]
  const before = await stateOf(company)
  return { ...company, open: open as NonNullable<typeof open>, made, markers, before, admin }
}

/** State of the team payments and its worlds, without times and counters of use. */
async function stateOf({ payments }: Company) {
  const state = (await payments.ask('control.state', {}, 'payments.open')).data as Record<string, unknown>
  const { clock: _, fx: __, ...figures } = state
  const { data: page } = await payments.ask('control.worlds.list')
  const worlds = (page as { data: Record<string, unknown>[] }).data.map(({ name, id, status }) => ({
    name,
    id,
    status,
  }))
  const { data: snapshots } = await payments.ask('control.snapshots.list')
  const requests = (await payments.ask('control.requests.list', {}, 'payments.open')).data
  return { figures, worlds, snapshots, requests }
}

const bearer = (secret: string) => ({ headers: secret === '' ? {} : { Authorization: `Bearer ${secret}` } })

/** The answer with a placeholder for the name of the world that the request named. */
const comparable = ({ status, headers, text }: Answered, name: string) => ({
  status,
  headers,
  text: text.replaceAll(name, '<name>'),
})

/** Input of an endpoint, with this name wherever a world or a snapshot is named. */
function inputNaming({ params, query, body, upload }: Endpoint, name: string): Input {
  const filled = (schema: Endpoint['body']): Record<string, never> =>
    Object.fromEntries(
      Object.entries(schema?.properties ?? {}).flatMap(([member, value]) => {
        const filling = valueFor(value as Schema, name)
        return filling === undefined ? [] : [[member, filling as never]]
      }),
    )
  return {
    params: filled(params),
    query: filled(query),
    ...(upload ? { file: new Uint8Array(16) } : { body: filled(body) }),
  }
}

interface Schema {
  readonly pattern?: string
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

function valueFor({ pattern, anyOf, items, properties }: Schema, name: string): unknown {
  if (pattern === worldNamePattern) return name
  if (items?.pattern === worldNamePattern) return [name, name]
  if (anyOf) return anyOf.map((each) => valueFor(each, name)).find((value) => value !== undefined)
  if (!properties) return undefined
  const members = Object.entries(properties).flatMap(([member, each]) => {
    const value = valueFor(each, name)
    return value === undefined ? [] : [[member, value]]
  })
  return members.length > 0 ? Object.fromEntries(members.slice(0, 1)) : undefined
}

describe('a wrong key', changesTeams, () => {
  test('opens no control endpoint of another team’s world, and does not show that it exists', async () => {
    const company = await attacked()
    const { baseUrl, risk, teams, write, noticed, open, markers } = company
    const revoked = newKey('payments')
    const wrong: Record<string, string> = {
      none: '',
      garbage: 'garbage',
      'a key with the team’s name': newKey('payments'),
      'the other team’s': risk.key,
      revoked,
      'an access token of the world': open.token,
      'its client’s secret': open.client_secret,
      'the default token': company.emulator.token,
    }
    write({ teams: { ...teams, payments: { keys: { ...teams.payments?.keys, old: digestOf(revoked) } } } })
    await noticed(1)
    expect((await memberAt(baseUrl, revoked).ask('control.state', {}, 'payments.open')).status).toBe(200)
    write()
    await noticed(2)
    const before = await stateOf(company)

    for (const [what, key] of Object.entries(wrong)) {
      const { ask } = memberAt(baseUrl, key)
      for (const [id, row] of control) {
        const answers = await Promise.all(
          [unknown, ...victims].map(async (name) => comparable(await ask(id, inputNaming(row, name), name), name)),
        )
        const [expected, ...got] = answers
        for (const [at, answer] of got.entries()) expect(answer, `${what}: ${id} at ${victims[at]}`).toEqual(expected)
        expect(expected?.status, `${what}: ${id}`).toBeOneOf(
          row.access === 'public' ? [200, 422, 404] : [401, row.ofAdmin ? 403 : 404],
        )
        for (const marker of markers) expect(JSON.stringify(answers), `${what}: ${id}`).not.toContain(marker)
      }
    }
    expect(await stateOf(company)).toEqual(before)
  })

  test('names no world, snapshot or moment of another team in any input', async () => {
    const company = await attacked()
    const { risk, markers, before } = company
    await risk.make({ name: 'own' })
    const names = [unknown, 'payments.kept', ...victims]
    for (const [id, row] of control) {
      for (const world of [undefined, 'risk.own']) {
        if (world === undefined && !row.ofEmulator) continue
        const answers = await Promise.all(
          names.map(async (name) => {
            const answer = await risk.ask(id, inputNaming(row, name), world)
            return { ...comparable(answer, name), name }
          }),
        )
        for (const { text, headers, name } of answers) {
          for (const marker of markers.filter((each) => each !== name)) {
            expect(
              (text + JSON.stringify(headers)).replaceAll('risk.payments.kept', ''),
              `${id} with ${name}`,
            ).not.toContain(marker)
          }
        }
      }
    }
    expect(await stateOf(company)).toEqual(before)
  })

  test('finds nothing under a guessed name', async () => {
    const company = await attacked()
    const guesses: readonly (readonly [ControlId, Input])[] = [
      ['control.worlds.create', { body: { from: { world: 'payments.open' } } }],
      ['control.worlds.create', { body: { from: { world: 'payments.open', moment: 'm1' } } }],
      ['control.worlds.create', { body: { from: { snapshot: 'payments.kept' } } }],
      ['control.worlds.get', { params: { name: 'payments.open' } }],
      ['control.worlds.delete', { params: { name: 'payments.open' } }],
      ['control.snapshots.delete', { params: { name: 'payments.kept' } }],
      ['control.compare', { query: { world: ['payments.open', 'payments.shut'] } }],
    ]
    for (const [id, input] of guesses) expect((await company.risk.ask(id, input)).status, id).toBe(404)
    expect(await stateOf(company)).toEqual(company.before)
  })

  test('opens no port', async () => {
    const { payments } = await attacked()

    expect((await payments.ask('control.worlds.create', { body: { port: 0 } })).status).toBe(403)
    expect((await payments.ask('control.import', { query: { port: '0' }, file: new Uint8Array(16) })).status).toBe(403)
  })

  test('controls neither the default world nor the rest of the emulator', async () => {
    const { risk, emulator } = await attacked()

    for (const [id, row] of control) {
      if (row.access === 'public' || row.ofEmulator) continue
      const { status, headers } = await risk.ask(id, inputNaming(row, unknown))
      expect(status, id).toBe(403)
      expect(headers['x-emulator-world'], id).not.toBe(emulator.worldId)
    }
  })
})

describe('a request to the service', () => {
  const form = 'application/x-www-form-urlencoded'
  const json = 'application/json'
  const everywhere = [
    ...Object.values<Endpoint>(endpoints),
    ...Object.values(documents),
    ...Object.values<string>(pagePaths).map((path) => ({ method: 'GET', path })),
    { method: 'GET', path: '/nowhere' },
    { method: 'GET', path: '/_emulator/nowhere' },
    { method: 'DELETE', path: endpoints['user.get'].path },
    { method: 'GET', path: '/%ff' },
  ].map(({ method, path }) => ({ method: method as string, url: path.replace(/\{\w+\}/g, '1') }))

  test('has the same answer from a foreign world as from none', async () => {
    const company = await attacked()
    const { baseUrl, risk, payments, emulator, markers, before } = company
    const own = await risk.make({ name: 'own' })
    const worldId = company.open.id
    const secrets = ['', 'garbage', own.token, risk.key, payments.key, emulator.token, 'payctl-demo-token']
    for (const { method, url } of everywhere) {
      for (const secret of secrets) {
        for (const given of secret === '' ? [{}, { 'X-Emulator-World': worldId, Accept: 'text/html' }] : [{}]) {
          const headers = { ...bearer(secret).headers, ...given, ...(method === 'POST' && { 'Content-Type': json }) }
          const answers = await Promise.all(
            [unknown, ...victims].map(async (name) =>
              comparable(
                await exchange(`${baseUrl}/w/${name}${url}`, {
                  method,
                  headers,
                  ...(method === 'POST' && { body: '{}' }),
                }),
                name,
              ),
            ),
          )
          for (const answer of answers) expect(answer, `${method} ${url} ${secret}`).toEqual(answers[0])
          for (const marker of markers) expect(JSON.stringify(answers)).not.toContain(marker)
        }
      }
    }
    expect(await stateOf(company)).toEqual(before)
  })

  test('of OAuth has the same answer from a foreign world as from none, unless it knows a client of the world', async () => {
    const { baseUrl, open } = await attacked()
    const { path } = oauthEndpoints['oauth.authorize']
    const callback = encodeURIComponent('http://127.0.0.1/callback')
    const query = (client: string) =>
      `?response_type=code&client_id=${client}&redirect_uri=${callback}&code_challenge_method=S256&code_challenge=${'a'.repeat(43)}`
    const requests = ['payctl', 'shop', ''].flatMap((client) => [
      { url: `${path}${query(client)}`, init: {} },
      { url: path, init: {} },
      {
        url: `${path}${query(client)}`,
        init: { method: 'POST', headers: { 'Content-Type': form }, body: 'decision=deny' },
      },
      ...['', `Basic ${Buffer.from(`${client}:guess`).toString('base64')}`].map((authorization) => ({
        url: oauthEndpoints['oauth.token'].path,
        init: {
          method: 'POST',
          headers: { 'Content-Type': form, ...(authorization !== '' && { Authorization: authorization }) },
          body: `grant_type=authorization_code&client_id=${client}&client_secret=guess&code=x`,
        },
      })),
    ])
    for (const { url, init } of requests) {
      const answers = await Promise.all(
        [unknown, ...victims].map(async (name) => comparable(await exchange(`${baseUrl}/w/${name}${url}`, init), name)),
      )
      for (const answer of answers) expect(answer, url).toEqual(answers[0])
    }
    expect((await exchange(`${baseUrl}/w/payments.open${path}${query(open.client_id)}`)).status).toBe(200)
    expect((await exchange(`${baseUrl}/w/payments.none${path}${query(open.client_id)}`)).status).toBe(400)
  })
})
