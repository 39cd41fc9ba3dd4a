import { describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../emulator/index.ts'
import { controlEndpoints, documents, type Endpoint, endpoints, oauthEndpoints } from '../../src/contract/index.ts'
import { exchangeOverHttp } from '../conformance/http_exchange.ts'
import { startWorld } from './control/world.ts'

const own = { token: 'token-of-this-test-alone', controlToken: 'control-of-this-test-alone' }

const routes = [...Object.values<Pick<Endpoint, 'method' | 'path'>>(endpoints), ...Object.values(controlEndpoints)]
const everywhere = [
  ...[...routes, ...Object.values(oauthEndpoints), ...Object.values(documents)].map(({ method, path }) => ({
    method: method as string,
    url: path.replace(/\{\w+\}/g, '1'),
  })),
  { method: 'GET', url: '/nowhere' },
  { method: 'OPTIONS', url: endpoints['user.get'].path },
]

async function start(options: EmulatorOptions = {}) {
  const world = await startWorld(options)
  const origin = new URL(world.emulator.baseUrl)
  const ask = (wire: { method: string; url: string }, headers: Record<string, string>, token = world.emulator.token) =>
    exchangeOverHttp(origin, {
      ...wire,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
      ...(wire.method === 'POST' && { payload: '{}' }),
    })
  return { ...world, ask, port: origin.port }
}

/** The state without the time, to detect changes. */
async function stateOf({ steer }: Awaited<ReturnType<typeof start>>) {
  const { clock: _, fx: __, ...state } = await steer('control.state')
  return state
}

describe('a page under a name that was pointed at this machine', () => {
  test('reads nothing and changes nothing, because no route answers it', async () => {
    const world = await start()
    const before = await stateOf(world)
    for (const Host of [
      `attacker.example:${world.port}`,
      'localhost.attacker.example',
      '127.0.0.1.nip.io',
      '10.1.2.3',
    ]) {
      for (const wire of everywhere) {
        const { status, text } = await world.ask(wire, { Host })
        expect(status, `${wire.method} ${wire.url} ${Host}`).toBe(421)
        expect(text).not.toContain('María')
      }
    }
    expect(await stateOf(world)).toEqual(before)
  })

  test('pays nothing with the well-known token', async () => {
    const { ask, colones, port, steer } = await start()
    const { method, path } = endpoints['payments.create']
    const pay = (Host: string) =>
      exchangeOverHttp(new URL(`http://127.0.0.1:${port}`), {
        method,
        url: path,
        headers: {
          Host,
          Authorization: 'Bearer payctl-demo-token',
          'Content-Type': 'application/json',
          'X-Idempotency-Key': Host,
        },
        payload: JSON.stringify({ source_account_id: colones, recipient_phone: '87000001', amount: 100 }),
      })

    expect((await pay(`attacker.example:${port}`)).status).toBe(421)
    expect((await steer('control.state')).unfinished).toBe(0)
    expect((await pay(`LOCALHOST:${port}`)).status).toBe(201)
    expect((await ask({ method: 'GET', url: endpoints['user.get'].path }, { Host: '[::1]' })).status).toBe(200)
  })

  test('is refused as long as one of the secrets is well known or easily guessed', async () => {
    for (const { token, controlToken } of [
      { token: own.token },
      { controlToken: own.controlToken },
      { token: 'payctl-demo-token', controlToken: own.controlToken },
      { token: 'guessable', controlToken: own.controlToken },
      { token: own.token, controlToken: own.token },
    ] as { token?: string; controlToken?: string }[]) {
      const { ask } = await start({ ...(token && { token }), ...(controlToken && { controlToken }) })
      expect((await ask({ method: 'GET', url: endpoints['user.get'].path }, { Host: 'a.example' })).status).toBe(421)
    }
  })

  test('is anybody where all secrets are the owner’s own: then the name is free', async () => {
    const { ask } = await start(own)
    const user = { method: 'GET', url: endpoints['user.get'].path }

    expect((await ask(user, { Host: 'emulator.internal' })).status).toBe(200)
    expect((await ask(user, { Host: 'emulator.internal' }, 'payctl-demo-token')).status).toBe(401)
  })

  test('gets the reason, in the envelope', async () => {
    const { ask } = await start()

    const { text } = await ask({ method: 'GET', url: endpoints['user.get'].path }, { Host: 'attacker.example' })

    expect(JSON.parse(text)).toEqual({
      success: false,
      message: 'Misdirected Request.',
      data: null,
      errors: {
        host: ['This emulator answers only requests to localhost, 127.0.0.0/8, [::1] or the host of its public URL.'],
      },
    })
  })
})

test('a page of another site is given no leave to send a token', async () => {
  const { ask } = await start()
  const asked = { Origin: 'https://attacker.example', 'Access-Control-Request-Headers': 'authorization' }
  for (const { url } of everywhere.filter(({ url }) => url !== '/nowhere')) {
    const { status, headers } = await ask({ method: 'OPTIONS', url }, asked)
    expect(status, url).toBe(405)
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  }
})

test('no route accepts a webhook delivery, whatever token it has', async () => {
  for (const options of [{}, own]) {
    const world = await start(options)
    for (const wire of everywhere) {
      for (const headers of [{ 'X-Webhook-Id': 'whd_000000000001' }, { 'User-Agent': 'payctl-emulator/1.2.3' }]) {
        const { status } = await world.ask(wire, headers, own.controlToken)
        expect(status, `${wire.method} ${wire.url}`).toBe(421)
      }
    }
  }
})
