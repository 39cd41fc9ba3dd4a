import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Environment, Globals } from '../../src/commands/context.ts'
import type { Config, Profile } from '../../src/config/profile.ts'
import { announce, type Ready } from '../../src/config/running_emulators.ts'
import { resolveTarget } from '../../src/config/target.ts'
import { temporaryDirectory } from '../commands/run_payctl.ts'
import { growth, linear } from '../output/growth.ts'
import { ready } from './ready.ts'

const real = { PAYCTL_BASE_URL: 'https://real.example', PAYCTL_TOKEN: 'real-token' }

interface Machine {
  readonly emulators?: readonly Ready[]
  readonly config?: Config
}

async function resolve(globals: Globals, env: Environment = {}, machine: Machine = {}) {
  const { emulators = [ready()], config = { profiles: {} } } = machine
  const stateDir = await temporaryDirectory()
  for (const emulator of emulators) announce(stateDir, emulator)
  const notes: string[] = []
  const note = (text: string) => notes.push(text)
  const target = await resolveTarget({ globals, env, stateDir, config: () => config, note })
  return { ...target, notes }
}

const emulator = {
  profile: 'emulator',
  baseUrl: 'http://127.0.0.1:4010',
  authUrl: 'http://127.0.0.1:4010',
  token: 'emulator-token',
  settings: { clientId: 'payctl', fxProvider: 'upstream' },
  notes: [],
}

describe('where requests go', () => {
  it('is known in no more time than its URL is long', async () => {
    const look = (size: number) =>
      resolve({ baseUrl: `https://flag.example/${'/'.repeat(size)}x`, token: 'flag-token' })
    expect(await growth(look, 8_000)).toBeLessThan(linear)
  })

  it('comes from flags before the environment', async () => {
    expect(await resolve({ baseUrl: 'https://flag.example/', token: 'flag-token' }, real)).toEqual({
      profile: 'default',
      baseUrl: 'https://flag.example',
      authUrl: 'https://flag.example',
      token: 'flag-token',
      settings: { clientId: undefined, fxProvider: 'upstream' },
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
    const { baseUrl, notes } = await resolve({ emulator: true }, {}, { emulators: [ready(), other] })
    expect(baseUrl).toBe('http://127.0.0.1:4011')
    expect(notes).toEqual([expect.stringMatching(/^2 emulators are running; using the newest, http:.+4011\./)])
  })
})

describe('each value', () => {
  const prod = { base_url: 'https://prod.example', auth_url: 'https://auth.prod', client_id: 'c', fx_provider: 'f' }

  const maybe = (value: string) => fc.option(fc.constant(value), { nil: undefined })

  /** For each source what it says; what is undefined it does not say. */
  const sources = fc.record({
    choice: fc.constantFrom('flag', 'environment', 'current', 'default'),
    flags: fc.record({ baseUrl: maybe('https://flag'), authUrl: maybe('https://auth.flag'), token: maybe('t.flag') }),
    env: fc.record({
      PAYCTL_BASE_URL: maybe('https://env'),
      PAYCTL_AUTH_URL: maybe('https://auth.env'),
      PAYCTL_TOKEN: maybe('t.env'),
      PAYCTL_CLIENT_ID: maybe('c.env'),
      PAYCTL_FX_PROVIDER: maybe('f.env'),
    }),
    profile: fc.record({
      auth_url: maybe('https://auth.prod'),
      client_id: maybe('c.prod'),
      fx_provider: maybe('f.prod'),
    }),
  })

  const given = <T extends object>(values: T) => JSON.parse(JSON.stringify(values))

  it('comes from flag, environment, profile or default, in this order', async () => {
    await fc.assert(
      fc.asyncProperty(sources, async ({ choice, flags, env, profile }) => {
        const name = choice === 'default' ? 'default' : 'prod'
        const config = {
          ...(choice === 'current' && { current: 'prod' }),
          profiles: { [name]: { base_url: 'https://prod', ...given(profile) } },
        }
        const globals = { ...given(flags), ...(choice === 'flag' && { profile: 'prod' }) }
        const around = { ...env, ...(choice === 'environment' && { PAYCTL_PROFILE: 'prod' }) }
        const target = await resolve(globals, around, { config })

        // A profile chosen by a flag outranks the environment as a whole.
        const heard: Partial<typeof env> = choice === 'flag' ? {} : env
        const baseUrl = flags.baseUrl ?? heard.PAYCTL_BASE_URL ?? 'https://prod'
        // What a profile says of its service holds at its service only.
        const own: Partial<typeof profile> = baseUrl === 'https://prod' ? profile : {}
        expect(target).toEqual({
          profile: name,
          baseUrl,
          authUrl: flags.authUrl ?? heard.PAYCTL_AUTH_URL ?? own.auth_url ?? baseUrl,
          token: flags.token ?? heard.PAYCTL_TOKEN,
          settings: {
            clientId: heard.PAYCTL_CLIENT_ID ?? own.client_id,
            fxProvider: heard.PAYCTL_FX_PROVIDER ?? own.fx_provider ?? 'upstream',
          },
          notes: [],
        })
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['flag', { profile: 'flagged' }, { PAYCTL_PROFILE: 'env' }, 'current', 'flagged'],
    ['environment', {}, { PAYCTL_PROFILE: 'env' }, 'current', 'env'],
    ['choice that is kept', {}, {}, 'current', 'current'],
    ['default', {}, {}, undefined, 'default'],
  ])('is of the profile that the %s names', async (_, globals, env, current, expected) => {
    const names = ['flagged', 'env', 'current', 'default']
    const profiles = Object.fromEntries(names.map((name): [string, Profile] => [name, { base_url: `https://${name}` }]))
    const config = { ...(current && { current }), profiles }
    expect(await resolve(globals, env, { config })).toMatchObject({ profile: expected, baseUrl: `https://${expected}` })
  })

  it.each(['https://prod.example/', 'https://PROD.example', 'https://prod.example:443//'])(
    "is the profile's where %s names the profile's own place",
    async (baseUrl) => {
      const target = await resolve({ baseUrl, profile: 'prod' }, {}, { config: { profiles: { prod } } })
      expect(target).toMatchObject({ authUrl: 'https://auth.prod', settings: { clientId: 'c', fxProvider: 'f' } })
    },
  )

  it('is the emulator’s own with the built-in profile, whatever a file says of one with its name', async () => {
    const config = { current: 'emulator', profiles: { emulator: prod } }
    expect(await resolve({}, {}, { config })).toEqual(emulator)
    expect(await resolve({ emulator: true }, { PAYCTL_CLIENT_ID: 'x', PAYCTL_FX_PROVIDER: 'y' }, { config })).toEqual(
      emulator,
    )
  })

  it('does not need the file where a flag names the emulator', async () => {
    const config = () => {
      throw new Error('read')
    }
    const stateDir = await temporaryDirectory()
    announce(stateDir, ready())
    const sources = { env: {}, stateDir, config, note: () => {} }
    expect(await resolveTarget({ ...sources, globals: { emulator: true } })).toMatchObject({ profile: 'emulator' })
  })
})

describe('no place to go', () => {
  const none: Config = { profiles: {} }
  const plain: Config = { profiles: { plain: { base_url: 'http://example.com' } } }

  it.each<[Globals, Environment, string, string, Config?]>([
    [{}, real, 'usage', "There is no profile 'gone'", { current: 'gone', profiles: {} }],
    [{ profile: '__proto__' }, {}, 'usage', "There is no profile '__proto__'"],
    [{ profile: 'default' }, real, 'usage', 'No base URL'],
    [{}, real, 'usage', 'in use is the emulator, but PAYCTL_BASE_URL', { current: 'emulator', profiles: {} }],
    [{ profile: 'plain', token: 't' }, {}, 'usage', 'could read the token', plain],
    [{}, { PAYCTL_PROFILE: 'plain', PAYCTL_TOKEN: 't' }, 'usage', 'could read the token', plain],
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
  ])('with %j and %j', async (globals, env, exit, message, config = none) => {
    const refusal = expect.objectContaining({
      exit,
      message: expect.stringContaining(message),
      hint: expect.any(String),
    })
    await expect(resolve(globals, env, { emulators: [], config })).rejects.toEqual(refusal)
  })

  it.each([
    ['prd', 'Did you mean prod? Profiles: prod, staging, emulator.'],
    ['PROD', 'Did you mean prod? Profiles:'],
    ['stagign', 'Did you mean staging?'],
    ['emulaton', 'Did you mean emulator?'],
    ['nothing-like-it', 'Profiles: prod, staging, emulator.'],
  ])('with the profile %s, which comes with near names and all names', async (profile, hint) => {
    const profiles = { prod: { base_url: 'https://x' }, staging: { base_url: 'https://y' } }
    await expect(resolve({ profile }, {}, { config: { profiles } })).rejects.toMatchObject({
      exit: 'usage',
      hint: expect.stringMatching(`^${hint.replace('?', '\\?')}`),
    })
  })

  it.each(['http://localhost:4010', 'http://127.1.2.3', 'http://[::1]:80', 'http://api.localhost', 'http://0.0.0.0:1'])(
    'does not mean %s: a token may go to this machine in the clear',
    async (baseUrl) => {
      expect(await resolve({ baseUrl, token: 't' })).toMatchObject({ baseUrl })
    },
  )
})
