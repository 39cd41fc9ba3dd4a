import { describe, expect, it } from 'vitest'
import type { Environment, Globals } from '../../src/commands/context.ts'
import { announce } from '../../src/config/running_emulators.ts'
import { resolveTarget } from '../../src/config/target.ts'
import { temporaryDirectory } from '../commands/run_payctl.ts'
import { ready } from './ready.ts'

const real = { PAYCTL_BASE_URL: 'https://real.example', PAYCTL_TOKEN: 'real-token' }

async function resolve(globals: Globals, env: Environment = {}, emulators = [ready()]) {
  const stateDir = await temporaryDirectory()
  for (const emulator of emulators) await announce(stateDir, emulator)
  const notes: string[] = []
  const target = await resolveTarget({ globals, env, stateDir, note: (text) => notes.push(text) })
  return { ...target, notes }
}

const emulator = {
  profile: 'emulator',
  baseUrl: 'http://127.0.0.1:4010',
  authUrl: 'http://127.0.0.1:4010',
  token: 'emulator-token',
  notes: [],
}

describe('where requests go', () => {
  it('comes from flags before the environment', async () => {
    expect(await resolve({ baseUrl: 'https://flag.example/', token: 'flag-token' }, real)).toEqual({
      profile: 'default',
      baseUrl: 'https://flag.example',
      authUrl: 'https://flag.example',
      token: 'flag-token',
      notes: [],
    })
  })

  it('comes from the environment', async () => {
    expect(await resolve({}, { ...real, PAYCTL_AUTH_URL: 'https://auth.example' })).toMatchObject({
      baseUrl: 'https://real.example',
      authUrl: 'https://auth.example',
      token: 'real-token',
    })
  })

  it.each([{ emulator: true }, { profile: 'emulator' }, { emulator: true, profile: 'emulator' }])(
    'is the emulator with %j, whatever the environment says',
    async (globals) => {
      const env = { ...real, PAYCTL_AUTH_URL: 'https://auth.example', PAYCTL_PROFILE: 'other' }
      expect(await resolve(globals, env)).toEqual(emulator)
    },
  )

  it('is the emulator with PAYCTL_PROFILE', async () => {
    expect(await resolve({}, { PAYCTL_PROFILE: 'emulator' })).toEqual(emulator)
  })

  it("never gets the profile's token when it is another place", async () => {
    const target = await resolve({ baseUrl: 'https://flag.example' }, { PAYCTL_PROFILE: 'emulator' })
    expect(target).toMatchObject({ baseUrl: 'https://flag.example', token: undefined })
  })

  it('is what emulate tells its child, whatever the profile', async () => {
    const env = { PAYCTL_PROFILE: 'emulator', PAYCTL_BASE_URL: 'http://127.0.0.1:9', PAYCTL_TOKEN: 'child-token' }
    expect(await resolve({}, env)).toMatchObject({ baseUrl: 'http://127.0.0.1:9', token: 'child-token' })
  })

  it('is the newest of several emulators, with a remark', async () => {
    const other = ready({ pid: process.ppid, base_url: 'http://127.0.0.1:4011' })
    const { baseUrl, notes } = await resolve({ emulator: true }, {}, [ready(), other])
    expect(baseUrl).toBe('http://127.0.0.1:4011')
    expect(notes).toEqual([expect.stringMatching(/^2 emulators are running; using the newest, http:.+4011\./)])
  })
})

describe('no place to go', () => {
  it.each([
    [{}, {}, 'usage', 'No base URL'],
    [{ profile: 'nowhere' }, real, 'usage', "There is no profile 'nowhere'"],
    [{}, { PAYCTL_PROFILE: 'nowhere', ...real }, 'usage', "There is no profile 'nowhere'"],
    [{ emulator: true }, real, 'unavailable', 'No emulator is running.'],
    [{ emulator: true, profile: 'x' }, {}, 'usage', 'name two places'],
    [{ emulator: true, baseUrl: 'https://x' }, {}, 'usage', 'another place'],
    [{ profile: 'emulator', authUrl: 'https://x' }, {}, 'usage', 'another place'],
    [{}, { PAYCTL_PROFILE: 'emulator', ...real }, 'usage', 'names another machine'],
    [{ baseUrl: 'example.com' }, {}, 'usage', 'is not a URL'],
    [{ baseUrl: 'ftp://example.com' }, {}, 'usage', 'must begin with https'],
    [{ baseUrl: 'https://me:secret@example.com' }, {}, 'usage', 'user name or password'],
    [{ baseUrl: 'https://example.com/?a=1' }, {}, 'usage', 'query'],
    [{ baseUrl: 'http://example.com', token: 't' }, {}, 'usage', 'could read the token'],
    [{ baseUrl: 'http://127.0.0.1.example.com', token: 't' }, {}, 'usage', 'could read the token'],
    [{ baseUrl: 'https://x', authUrl: 'http://example.com', token: 't' }, {}, 'usage', 'auth URL is http'],
  ])('with %j and %j', async (globals, env, exit, message) => {
    const refusal = expect.objectContaining({
      exit,
      message: expect.stringContaining(message),
      hint: expect.any(String),
    })
    await expect(resolve(globals, env, [])).rejects.toEqual(refusal)
  })

  it.each(['http://localhost:4010', 'http://127.1.2.3', 'http://[::1]:80', 'http://api.localhost', 'http://0.0.0.0:1'])(
    'does not mean %s: a token may go to this machine in the clear',
    async (baseUrl) => {
      expect(await resolve({ baseUrl, token: 't' })).toMatchObject({ baseUrl })
    },
  )
})
