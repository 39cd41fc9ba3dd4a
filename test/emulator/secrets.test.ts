import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Emulator, type EmulatorOptions, EmulatorRefusal, startEmulator } from '../../emulator/index.ts'
import { controlEndpoints, endpoints, oauthEndpoints } from '../../src/contract/index.ts'
import { newFolder } from './store/folder.ts'

const token = '5f2b8c1e9a7d4036b1c8'
const controlToken = 'c7d1e05a93f64b28807d'
const clientSecret = '90ab12ef56cd34780a1b'
const demoToken = 'payctl-demo-token'
const demoSecret = 'payctl-demo-secret'

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** URL on this machine, whatever address the emulator listens on. */
const at = ({ baseUrl }: Emulator, { path }: { path: string }) => `http://127.0.0.1:${new URL(baseUrl).port}${path}`

const statusOf = async (emulator: Emulator, bearer: string): Promise<number> =>
  (await fetch(at(emulator, endpoints['user.get']), { headers: { Authorization: `Bearer ${bearer}` } })).status

/** The token endpoint's error for an invalid code: `invalid_grant` for a known client. */
async function refusalOf(emulator: Emulator, client_secret: string): Promise<string> {
  const grant = { grant_type: 'authorization_code', code: 'none', redirect_uri: 'http://127.0.0.1/callback' }
  const response = await fetch(at(emulator, oauthEndpoints['oauth.token']), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_id: emulator.clientId, client_secret, ...grant }),
  })
  return ((await response.json()) as { error: string }).error
}

describe('an emulator that others can reach', () => {
  test.each<[string, EmulatorOptions, string]>([
    ['no secrets', {}, 'the token is missing'],
    ['no control token', { token }, 'the control token is missing'],
    ['no token', { controlToken }, 'the token is missing'],
    ['the well-known token', { token: demoToken, controlToken }, 'the token is a well-known one'],
    ['the well-known client secret for a token', { token: demoSecret, controlToken }, 'the token is a well-known one'],
    ['the well-known token for a control token', { token, controlToken: demoToken }, 'the control token is a well-'],
    ['the well-known client secret', { token, controlToken, clientSecret: demoSecret }, 'the client secret is a well'],
    ['short ones', { token: 'a', controlToken: 'b' }, 'the token has fewer than 20 characters'],
    ['a short control token', { token, controlToken: token.slice(1) }, 'the control token has fewer than 20'],
    ['the same twice', { token, controlToken: token }, 'two of them are the same'],
    ['the token for a client secret', { token, controlToken, clientSecret: token }, 'two of them are the same'],
    ['one letter', { token: 'a'.repeat(40), controlToken }, 'the token repeats itself'],
    ['one word', { token, controlToken: 'password'.repeat(4) }, 'the control token repeats itself'],
    ['one row of digits', { token: '1234567890'.repeat(3), controlToken }, 'the token repeats itself'],
  ])('does not start with %s, and says what is wrong without repeating it', async (_, secrets, why) => {
    for (const host of ['0.0.0.0', '::', '10.1.2.3', 'example.com']) {
      const error = await startEmulator({ host, ...secrets }).catch((reason) => reason)

      expect(error).toBeInstanceOf(EmulatorRefusal)
      expect(error.message).toContain(why)
      expect(error.hint).toContain('with token and controlToken')
      for (const secret of Object.values(secrets).filter((secret) => String(secret).length > 1)) {
        expect(`${error.message} ${error.hint}`).not.toContain(String(secret))
      }
    }
  })

  test('opens to its own secrets and to no well-known one', async () => {
    const emulator = await start({ host: '0.0.0.0', token, controlToken })

    expect(await statusOf(emulator, token)).toBe(200)
    expect(await statusOf(emulator, demoToken)).toBe(401)
    expect(await statusOf(emulator, controlToken)).toBe(401)
    expect(emulator.clientSecret).not.toBe(demoSecret)
    expect(await refusalOf(emulator, emulator.clientSecret)).toBe('invalid_grant')
    expect(await refusalOf(emulator, demoSecret)).toBe('invalid_client')
  })

  test('accepts no token or client secret of earlier starts, from its data file or after a reset', async () => {
    const data = join(newFolder(), 'world.db')
    await (await start({ data })).close()
    await (await start({ data, token: 'of-an-earlier-start' })).close()
    const emulator = await start({ data, host: '0.0.0.0', token, controlToken, clientSecret })

    const closed = async () => {
      expect(await statusOf(emulator, demoToken)).toBe(401)
      expect(await statusOf(emulator, 'of-an-earlier-start')).toBe(401)
      expect(await refusalOf(emulator, demoSecret)).toBe('invalid_client')
      expect(await statusOf(emulator, token)).toBe(200)
      expect(await refusalOf(emulator, clientSecret)).toBe('invalid_grant')
    }
    await closed()
    await emulator.control.reset()
    await closed()
  })
})

describe('the seeded secrets', () => {
  test('are those of the last start, also on loopback; tokens that were made otherwise stay', async () => {
    const data = join(newFolder(), 'world.db')
    const first = await start({ data, token: 'first' })
    const answer = await fetch(at(first, controlEndpoints['control.tokens.mint']), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    })
    const minted = ((await answer.json()) as { data: { token: string } }).data.token
    await first.close()

    const second = await start({ data })
    expect([await statusOf(second, 'first'), await statusOf(second, demoToken)]).toEqual([401, 200])
    expect(await refusalOf(second, demoSecret)).toBe('invalid_grant')
    expect(await statusOf(second, minted)).toBe(200)
    await second.close()

    const third = await start({ data, token: 'first' })
    expect([await statusOf(third, 'first'), await statusOf(third, demoToken)]).toEqual([200, 401])
  })

  test('are told from a token that was minted at the time of their creation', async () => {
    const data = join(newFolder(), 'world.db')
    const first = await start({ data, clock: '2026-01-01T12:00:00Z' })
    const { token } = await first.control.tokens.mint({})
    expect((await first.control.seed()).seed.tokens).toHaveLength(1)
    await first.close()

    expect(await statusOf(await start({ data }), token)).toBe(200)
  })
})
