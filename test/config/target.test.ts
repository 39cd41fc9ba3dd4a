import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hintOf } from '../../src/cli/next_step.ts'
import type { Config, Profile } from '../../src/config/profile.ts'
import { type Announcement, announce } from '../../src/config/running_emulators.ts'
import { resolveTarget } from '../../src/config/target.ts'
import type { UsageError } from '../../src/errors/cli_error.ts'
import type { Environment, Globals } from '../../src/run/invocation.ts'
import type { Said } from '../../src/words/text.ts'
import { growth, linear } from '../output/growth.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { failure, startStub, success } from '../support/stub.ts'
import { announceAll, startTwo } from './ready.ts'

let two: Awaited<ReturnType<typeof startTwo>>
beforeAll(async () => {
  two = await startTwo()
})
afterAll(() => two.close())

const { signal } = new AbortController()

const real = { PAYCTL_BASE_URL: 'https://real.example', PAYCTL_TOKEN: 'real-token' }

interface Machine {
  readonly emulators?: readonly Announcement[]
  readonly config?: Config
}

async function resolve(globals: Globals, env: Environment = {}, machine: Machine = {}) {
  const { emulators = [two.first], config = { profiles: {} } } = machine
  const stateDir = await temporaryDirectory()
  announceAll(stateDir, emulators)
  const notes: string[] = []
  const note = (text: Said) => notes.push(String(text))
  const target = await resolveTarget({ globals, env, stateDir, signal, config: () => config, note })
  return { ...target, notes }
}

/** Target of a run without settings: the first of two emulators, if only this emulator is announced. */
const theEmulator = () => ({
  profile: 'emulator',
  baseUrl: two.one.baseUrl,
  authUrl: two.one.baseUrl,
  token: undefined,
  emulator: two.first,
  unnamedEmulators: [],
  settings: { clientId: 'payctl', fxProvider: 'upstream' },
  notes: [],
})

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
      emulator: undefined,
      unnamedEmulators: [],
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
      expect(await resolve(globals, env)).toEqual(theEmulator())
    },
  )

  it('is the emulator with PAYCTL_PROFILE', async () => {
    expect(await resolve({}, { PAYCTL_PROFILE: 'emulator' })).toEqual(theEmulator())
  })

  it("never gets the profile's token when it is another place", async () => {
    const target = await resolve({ baseUrl: 'https://flag.example' }, { PAYCTL_PROFILE: 'emulator' })
    expect(target).toMatchObject({ baseUrl: 'https://flag.example', token: undefined, emulator: undefined })
  })

  it('is the one that emulate gives its child, whatever the profile', async () => {
    const env = { PAYCTL_PROFILE: 'emulator', PAYCTL_BASE_URL: 'http://127.0.0.1:9', PAYCTL_TOKEN: 'child-token' }
    expect(await resolve({}, env)).toMatchObject({ baseUrl: 'http://127.0.0.1:9', token: 'child-token' })
  })

  it('is the newest of several emulators, with a note', async () => {
    const target = await resolve({ emulator: true }, {}, { emulators: [two.first, two.second] })
    expect(target).toMatchObject({ baseUrl: two.other.baseUrl, unnamedEmulators: [two.second, two.first] })
    expect(target.notes).toEqual([
      `2 emulators are running; reads go to the newest, ${new URL(two.other.baseUrl).port} (${two.other.baseUrl}). Others: --emulator=${new URL(two.one.baseUrl).port}`,
    ])
  })
})

describe('an emulator that runs', () => {
  const portOf = (url: string) => new URL(url).port

  it.each<[string, (url: string) => [Globals, Environment?]]>([
    ['--emulator --base-url', (baseUrl) => [{ emulator: true, baseUrl }, real]],
    ['--profile emulator --base-url', (baseUrl) => [{ profile: 'emulator', baseUrl }]],
    ['--base-url', (baseUrl) => [{ baseUrl }]],
    ['--base-url with a slash', (baseUrl) => [{ baseUrl: `${baseUrl}/` }]],
    ['--base-url with another name of this machine', (baseUrl) => [{ baseUrl: `http://localhost:${portOf(baseUrl)}` }]],
    ['PAYCTL_BASE_URL', (baseUrl) => [{}, { PAYCTL_BASE_URL: baseUrl }]],
    ['PAYCTL_BASE_URL with its profile', (url) => [{}, { PAYCTL_BASE_URL: url, PAYCTL_PROFILE: 'emulator' }]],
  ])('is named by %s, and brings its own token', async (_, naming) => {
    for (const [at, emulator] of [two.first, two.second].entries()) {
      const [globals, env] = naming(emulator.base_url)
      const target = await resolve(globals, env, { emulators: [two.first, two.second] })
      expect({ at, target }).toMatchObject({ target: { token: undefined, emulator, unnamedEmulators: [], notes: [] } })
      expect(portOf(target.baseUrl)).toBe(portOf(emulator.base_url))
    }
  })

  it('is that of the command that it was started for, among others too', async () => {
    const emulators = [two.first, two.second]
    for (const emulator of emulators) {
      const env = { PAYCTL_PROFILE: 'emulator', PAYCTL_BASE_URL: emulator.base_url, PAYCTL_TOKEN: 'given' }
      const target = await resolve({ emulator: true }, env, { emulators })
      expect(target).toMatchObject({ emulator, token: undefined, unnamedEmulators: [], notes: [] })
    }
    const elsewhere = { PAYCTL_PROFILE: 'other', PAYCTL_BASE_URL: two.first.base_url }
    const target = await resolve({ emulator: true }, elsewhere, { emulators })
    expect(target).toMatchObject({ emulator: two.second, unnamedEmulators: [two.second, two.first] })
  })

  it('brings no token where one is given for its URL', async () => {
    const { baseUrl } = two.one
    for (const [globals, env] of [
      [{ baseUrl, token: 'given' }, {}],
      [{ baseUrl }, { PAYCTL_TOKEN: 'given' }],
      [{ baseUrl }, { PAYCTL_TOKEN: 'given', PAYCTL_BASE_URL: `${baseUrl}/` }],
      [{}, { PAYCTL_TOKEN: 'given', PAYCTL_BASE_URL: baseUrl, PAYCTL_PROFILE: 'emulator' }],
    ] as const) {
      expect(await resolve(globals, env)).toMatchObject({ token: 'given', emulator: undefined })
    }
  })

  it('gets no PAYCTL_TOKEN where only its profile says that requests go there', async () => {
    const config = { current: 'emulator', profiles: {} }
    for (const env of [{ PAYCTL_TOKEN: 'real' }, { PAYCTL_TOKEN: 'real', PAYCTL_PROFILE: 'emulator' }]) {
      const { notes, ...target } = await resolve({}, env, { config })
      expect(target).toMatchObject({ token: undefined, emulator: two.first })
      expect(notes).toEqual([expect.stringContaining('PAYCTL_TOKEN is not used')])
    }
  })

  it('gets nothing of another service where only its profile says that requests go there', async () => {
    const env = {
      PAYCTL_AUTH_URL: 'https://auth.example',
      PAYCTL_CLIENT_ID: 'client-of-another',
      PAYCTL_FX_PROVIDER: 'provider-of-another',
    }
    expect(await resolve({}, env, { config: { current: 'emulator', profiles: {} } })).toEqual(theEmulator())
    expect(await resolve({}, { ...env, PAYCTL_PROFILE: 'emulator' })).toEqual(theEmulator())
    const named = { ...env, PAYCTL_PROFILE: 'emulator', PAYCTL_BASE_URL: two.one.baseUrl }
    expect(await resolve({}, named)).toMatchObject({
      authUrl: 'https://auth.example',
      settings: { clientId: 'client-of-another', fxProvider: 'provider-of-another' },
    })
  })

  it('is not where none is, whatever is announced or answers there', async () => {
    const { one, first, second } = two
    const impostor = await startStub([200, success({ proof: 'x' })])
    const stranger = await startStub([404, failure('Not Found.')])
    const taken = (base_url: string) => ({ ...first, base_url, control_url: base_url })
    const machines: readonly (readonly Announcement[])[] = [
      [taken(impostor.url)],
      [taken(stranger.url)],
      [taken('http://127.0.0.1:1')],
      // Another emulator has taken the port of the announced emulator.
      [taken(second.base_url)],
      [{ ...taken(one.baseUrl), identity_secret: 'of before' }],
    ]
    for (const emulators of machines) {
      await expect(resolve({ emulator: true }, {}, { emulators })).rejects.toMatchObject({
        exit: 'unavailable',
        message: expect.stringMatching(
          /No emulator answers\. An emulator was started at .+, but it does not answer, or another program has that address now\./,
        ),
      })
      const [{ base_url: baseUrl } = first] = emulators
      expect(await resolve({ baseUrl }, {}, { emulators })).toMatchObject({ emulator: undefined })
      const missing = { exit: 'unavailable', message: expect.stringContaining(`answers at ${baseUrl}`) }
      await expect(resolve({ emulator: true, baseUrl }, {}, { emulators })).rejects.toMatchObject(missing)
    }
    for (const { received } of [impostor, stranger]) {
      expect(received.length).toBeGreaterThan(0)
      const secrets = new RegExp(`authorization|${first.token}|${first.identity_secret}`)
      for (const request of received) expect(JSON.stringify(request)).not.toMatch(secrets)
    }
  })

  it('is found behind newer ones that are gone', async () => {
    const gone = { ...two.second, base_url: 'http://127.0.0.1:1', control_url: 'http://127.0.0.1:1' }
    const { notes, ...target } = await resolve({ emulator: true }, {}, { emulators: [two.first, gone] })
    expect(target).toMatchObject({ emulator: two.first, unnamedEmulators: [] })
    expect(notes).toEqual([])
  })

  it('gets a fresh challenge each time: an answer of before is worth nothing', async () => {
    const seen: string[] = []
    const stub = await startStub((response, { url = '' }) => {
      seen.push(url)
      response.end(JSON.stringify(success({ proof: '' })))
    })
    const emulators = [{ ...two.first, base_url: stub.url }]
    for (const _ of [1, 2]) await expect(resolve({ emulator: true }, {}, { emulators })).rejects.toThrow()
    expect(seen).toEqual([expect.stringMatching(/challenge=[\w-]{32}$/), expect.stringMatching(/challenge=[\w-]{32}$/)])
    expect(new Set(seen).size).toBe(2)
  })
})

describe('PAYCTL_TOKEN', () => {
  const home = 'https://home.example'
  const config: Config = { profiles: { default: { base_url: home }, free: {} } }

  it.each<[Globals, Environment]>([
    [{ baseUrl: 'https://other.example' }, { PAYCTL_BASE_URL: home }],
    [{ baseUrl: `${home}/v2` }, { PAYCTL_BASE_URL: home }],
    [{ baseUrl: 'http://home.example' }, { PAYCTL_BASE_URL: home }],
    [{ baseUrl: 'https://home.example:444' }, {}],
    [{ baseUrl: 'https://other.example' }, {}],
    [{ baseUrl: 'http://127.0.0.1:4010' }, {}],
    [{ baseUrl: home }, { PAYCTL_BASE_URL: 'https://other.example' }],
  ])('is refused with %j and %j', async (globals, env) => {
    const { baseUrl = '' } = globals
    await expect(resolve(globals, { ...env, PAYCTL_TOKEN: 's3cret' }, { config })).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringMatching(
        `^PAYCTL_TOKEN belongs to https://\\S+ \\(.+\\), and is not sent to ${baseUrl}\\.$`,
      ),
      hint: expect.stringContaining(`PAYCTL_BASE_URL=${baseUrl}`),
    })
  })

  it.each<[Globals, Environment, string]>([
    [{ baseUrl: `${home}/` }, { PAYCTL_BASE_URL: home }, home],
    [{ baseUrl: 'https://HOME.example:443' }, {}, home],
    [{}, { PAYCTL_BASE_URL: 'https://other.example' }, 'https://other.example'],
    [{}, {}, home],
    [{ baseUrl: 'https://new.example' }, { PAYCTL_PROFILE: 'free' }, 'https://new.example'],
  ])('goes along with %j and %j', async (globals, env, baseUrl) => {
    const target = await resolve(globals, { ...env, PAYCTL_TOKEN: 's3cret' }, { config })
    expect(target).toMatchObject({ baseUrl, token: 's3cret' })
  })

  it('does not prevent the use of a token that the flag gives', async () => {
    const env = { PAYCTL_BASE_URL: home, PAYCTL_TOKEN: 's3cret', PAYCTL_AUTH_URL: 'https://auth.example' }
    const target = await resolve({ baseUrl: 'https://other.example', token: 'flag' }, env)
    expect(target).toMatchObject({ token: 'flag', authUrl: 'https://other.example' })
  })
})

describe('each value', () => {
  const prod = { base_url: 'https://prod.example', auth_url: 'https://auth.prod', client_id: 'c', fx_provider: 'f' }

  const maybe = (value: string) => fc.option(fc.constant(value), { nil: undefined })

  /** The target from each source; undefined: the source has none. */
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
        const resolved = resolve(globals, around, { config })

        // A profile chosen by a flag takes precedence over the whole environment.
        const heard: Partial<typeof env> = choice === 'flag' ? {} : env
        const baseUrl = flags.baseUrl ?? heard.PAYCTL_BASE_URL ?? 'https://prod'
        const isTokenElsewhere =
          heard.PAYCTL_TOKEN !== undefined && flags.token === undefined && baseUrl === 'https://flag'
        if (isTokenElsewhere) {
          await expect(resolved).rejects.toMatchObject({ exit: 'usage' })
          return
        }
        const target = await resolved
        // Settings of the environment for a service apply only to the service that the environment names.
        const said = heard.PAYCTL_BASE_URL === undefined || heard.PAYCTL_BASE_URL === baseUrl ? heard : {}
        // Settings of a profile for its service apply only to this service.
        const own: Partial<typeof profile> = baseUrl === 'https://prod' ? profile : {}
        expect(target).toEqual({
          profile: name,
          baseUrl,
          authUrl: flags.authUrl ?? said.PAYCTL_AUTH_URL ?? own.auth_url ?? baseUrl,
          token: flags.token ?? heard.PAYCTL_TOKEN,
          unnamedEmulators: [],
          settings: {
            clientId: said.PAYCTL_CLIENT_ID ?? own.client_id,
            fxProvider: said.PAYCTL_FX_PROVIDER ?? own.fx_provider ?? 'upstream',
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
    expect(await resolve({}, {}, { config })).toEqual(theEmulator())
    expect(await resolve({ emulator: true }, { PAYCTL_CLIENT_ID: 'x', PAYCTL_FX_PROVIDER: 'y' }, { config })).toEqual(
      theEmulator(),
    )
  })

  it('does not need the file where a flag names the emulator', async () => {
    const config = () => {
      throw new Error('read')
    }
    const stateDir = await temporaryDirectory()
    announce(stateDir, two.first)
    const sources = { env: {}, stateDir, signal, config, note: () => {} }
    expect(await resolveTarget({ ...sources, globals: { emulator: true } })).toMatchObject({ profile: 'emulator' })
  })
})

describe('no place to go', () => {
  const none: Config = { profiles: {} }
  const plain: Config = { profiles: { plain: { base_url: 'http://example.com' } } }

  it.each<[Globals, Environment, string, string, Config?]>([
    [{}, real, 'usage', "Profile 'gone' does not exist", { current: 'gone', profiles: {} }],
    [{ profile: '__proto__' }, {}, 'usage', "Profile '__proto__' does not exist"],
    [{ profile: 'default' }, real, 'usage', 'No service is set'],
    [{}, real, 'usage', 'in use is the emulator, but PAYCTL_BASE_URL', { current: 'emulator', profiles: {} }],
    [{ profile: 'plain', token: 't' }, {}, 'usage', 'could read the token', plain],
    [{}, { PAYCTL_PROFILE: 'plain', PAYCTL_TOKEN: 't' }, 'usage', 'could read the token', plain],
    [{}, {}, 'usage', 'No service is set'],
    [{ profile: 'nowhere' }, real, 'usage', "Profile 'nowhere' does not exist"],
    [{}, { PAYCTL_PROFILE: 'nowhere', ...real }, 'usage', "Profile 'nowhere' does not exist"],
    [{ emulator: true }, real, 'unavailable', 'No emulator is running.'],
    [{ emulator: true, profile: 'x' }, {}, 'usage', 'name two services'],
    [{ emulator: true, baseUrl: 'https://x' }, {}, 'usage', 'another service'],
    [{ emulator: true, baseUrl: 'http://127.0.0.1:1' }, {}, 'unavailable', 'answers at http://127.0.0.1:1'],
    [{ profile: 'emulator', authUrl: 'https://x' }, {}, 'usage', 'another service'],
    [{}, { PAYCTL_PROFILE: 'emulator', ...real }, 'usage', 'names another machine'],
    [{ baseUrl: 'example.com' }, {}, 'usage', 'is not the address of a service'],
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
    })
    const error = await resolve(globals, env, { emulators: [], config }).catch((reason: unknown) => reason)
    expect(error).toEqual(refusal)
    expect(error).toSatisfy(({ hint, next }: UsageError) => hint !== undefined || next !== undefined)
  })

  it.each([
    ['prd', 'Did you mean prod? Profiles: prod, staging, emulator.'],
    ['PROD', 'Did you mean prod? Profiles:'],
    ['stagign', 'Did you mean staging?'],
    ['emulaton', 'Did you mean emulator?'],
    ['nothing-like-it', 'Profiles: prod, staging, emulator.'],
  ])('with the profile %s, which comes with near names and all names', async (profile, hint) => {
    const profiles = { prod: { base_url: 'https://x' }, staging: { base_url: 'https://y' } }
    const refusal: UsageError = await resolve({ profile }, {}, { config: { profiles } }).catch((error) => error)
    expect(refusal.exit).toBe('usage')
    expect(refusal.next && hintOf(refusal.next, {})).toMatch(new RegExp(`^${hint.replace('?', '\\?')}`))
  })

  it.each([
    'http://localhost:4010',
    'http://127.1.2.3',
    'http://[::1]:8080',
    'http://api.localhost',
    'http://0.0.0.0:1',
  ])('does not mean %s: a token may go to this machine in the clear', async (baseUrl) => {
    expect(await resolve({ baseUrl, token: 't' })).toMatchObject({ baseUrl })
  })
})
