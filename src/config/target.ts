import { isLoopback } from '../client/base_url.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import type { Environment, Globals } from '../run/invocation.ts'
import { parseKeyLife } from '../run/time.ts'
import { type Said, say } from '../words/text.ts'
import { checkedUrl, isSameEmulator, isSameUrl } from './base_url.ts'
import { flagsOf, labelOf } from './emulator_label.ts'
import { type Config, emulatorProfile, findProfile, type Profile, profileInUse } from './profile.ts'
import type { ProvenEmulators } from './proven_emulators.ts'
import type { Announcement } from './running_emulators.ts'

/** URLs and settings of a run: from flags, environment, profile and defaults, in this order. */
export interface Target {
  readonly profile: string
  readonly baseUrl: string
  readonly authUrl: string
  /** Token from a flag or the environment; it takes precedence over a login. */
  readonly token: string | undefined
  /** The proven emulator at the base URL. Its token is used if no token was given and nobody is logged in. */
  readonly emulator: Announcement | undefined
  /** Running emulators, newest first, if there are several and nothing says which of them to use; otherwise empty. */
  readonly unnamedEmulators: readonly Announcement[]
  readonly settings: Settings
}

/** Settings of a service apart from its URLs. */
export interface Settings {
  /** Id of payctl's OAuth client at this service. */
  readonly clientId: string | undefined
  /** Name of the rate provider in the path of its endpoint. */
  readonly fxProvider: string
  /** The service's id of the default account to pay from. */
  readonly from: string | undefined
  /** Milliseconds for which the service remembers idempotency keys; undefined if the profile does not set this time. */
  readonly keyLife: number | undefined
}

interface TargetSources {
  readonly globals: Globals
  readonly env: Environment
  readonly stateDir: string
  readonly signal: AbortSignal
  /** Not called if a flag or the environment selects the emulator's profile. */
  readonly config: () => Config
  readonly note: (text: Said) => void
}

/** Settings of a service that come from one source, such as the environment. */
interface ServiceSettings {
  readonly baseUrl?: string | undefined
  readonly authUrl?: string | undefined
  readonly clientId?: string | undefined
  readonly fxProvider?: string | undefined
  readonly from?: string | undefined
  readonly keyLife?: number | undefined
  readonly emulator?: Announcement | undefined
  readonly unnamedEmulators?: readonly Announcement[]
}

/**
 * Takes each value from flag, environment, profile or default, in this order. If a flag chooses the profile, the
 * environment's URLs, token and other settings of a service are ignored. Settings that belong to one service do not
 * apply to another service. So `--emulator` never reaches a real service, and the token of a login at one service never
 * reaches another service.
 */
export async function resolveTarget(sources: TargetSources): Promise<Target> {
  const { globals, env, config } = sources
  const flagged = profileFlag(globals)
  const around: Environment = flagged === undefined ? env : {}
  const profile = flagged ?? profileInUse(globals, around, config)
  const isEmulator = profile === emulatorProfile
  const saved = isEmulator ? {} : savedPlace(profile, config())
  if (isEmulator && globals.baseUrl === undefined) requireThisMachine(around)
  const given = globals.baseUrl ?? around.PAYCTL_BASE_URL
  const token = globals.token ?? variableToken(around, { profile, saved, given, sources })
  // If a URL is saved, the saved settings apply only to that URL.
  const isSaved = given === undefined || saved.baseUrl === undefined || isSameUrl(given, saved.baseUrl)
  const place =
    isEmulator && given === undefined
      ? await emulatorOf(sources)
      : await withEmulator(isSaved ? { ...saved, baseUrl: given ?? saved.baseUrl } : { baseUrl: given }, {
          isRequired: flagged === emulatorProfile,
          token,
          sources,
        })
  const { baseUrl, emulator } = place
  if (baseUrl === undefined) throw await noService(profile, sources)
  // The variables belong to a service: an emulator that payctl finds by itself is another one.
  const variables = isEmulator && given === undefined ? {} : variablePlace(around, baseUrl)
  const authUrl = globals.authUrl ?? variables.authUrl ?? place.authUrl ?? baseUrl
  const secret = token ?? emulator?.token
  const checked = checkedUrl(baseUrl, 'The base URL', secret)
  return {
    profile,
    baseUrl: checked,
    authUrl: authUrl === baseUrl ? checked : checkedUrl(authUrl, 'The auth URL', secret),
    token,
    emulator,
    unnamedEmulators: place.unnamedEmulators ?? [],
    settings: {
      clientId: variables.clientId ?? place.clientId ?? emulator?.client_id,
      fxProvider: variables.fxProvider ?? place.fxProvider ?? 'upstream',
      from: place.from,
      keyLife: place.keyLife,
    },
  }
}

function profileFlag({ profile, emulator, baseUrl, authUrl }: Globals): string | undefined {
  if (emulator && profile !== undefined && profile !== emulatorProfile) {
    throw new UsageError(say`--emulator and --profile ${profile} name two services.`, 'Give one of them')
  }
  if (typeof emulator === 'string' && baseUrl !== undefined) {
    throw new UsageError(say`--emulator=${emulator} and --base-url name two services.`, 'Give one of them')
  }
  const flagged = emulator ? emulatorProfile : profile
  if (flagged === emulatorProfile && (authUrl !== undefined || (baseUrl !== undefined && !isLoopback(baseUrl)))) {
    throw new UsageError(
      '--emulator already says where requests go: to this machine. --base-url and --auth-url name another service.',
      'Leave one of them out.',
    )
  }
  return flagged
}

function requireThisMachine({ PAYCTL_PROFILE, PAYCTL_BASE_URL }: Environment): void {
  if (PAYCTL_BASE_URL === undefined || isLoopback(PAYCTL_BASE_URL)) return
  throw new UsageError(
    PAYCTL_PROFILE === undefined
      ? 'The profile in use is the emulator, but PAYCTL_BASE_URL names another machine.'
      : 'PAYCTL_PROFILE says emulator, but PAYCTL_BASE_URL names another machine.',
    'Unset one of them, or choose with a flag: --emulator or --base-url',
  )
}

function savedPlace(name: string, config: Config): ServiceSettings {
  const profile = findProfile(config, name)
  if (profile === undefined) throw unknownProfile(name, config)
  const { base_url: baseUrl, auth_url: authUrl, client_id: clientId, fx_provider: fxProvider, from } = profile
  return { baseUrl, authUrl, clientId, fxProvider, from, keyLife: keyLifeOf(profile, name) }
}

function keyLifeOf({ key_life: text }: Profile, name: string): number | undefined {
  if (text === undefined) return undefined
  const ms = parseKeyLife(text)
  if (!Number.isNaN(ms)) return ms
  throw new UsageError(say`The key_life of profile ${name} must be a time from 1m to 3650d: ${text}.`, {
    kind: 'set_key_life',
    profile: name,
  })
}

/** Settings from the environment; none if PAYCTL_BASE_URL names another service. */
function variablePlace(around: Environment, baseUrl: string): ServiceSettings {
  const { PAYCTL_BASE_URL: named, PAYCTL_AUTH_URL, PAYCTL_CLIENT_ID, PAYCTL_FX_PROVIDER } = around
  if (named !== undefined && !isSameUrl(named, baseUrl) && !isSameEmulator(named, baseUrl)) return {}
  // Each world of an emulator is a separate OAuth server.
  const authUrl = PAYCTL_AUTH_URL !== undefined && isSameEmulator(PAYCTL_AUTH_URL, baseUrl) ? baseUrl : PAYCTL_AUTH_URL
  return { authUrl, clientId: PAYCTL_CLIENT_ID, fxProvider: PAYCTL_FX_PROVIDER }
}

/**
 * Returns PAYCTL_TOKEN; undefined if the variable is not set, or if the run looks for an emulator by itself. Throws
 * UsageError if the token belongs to another service.
 */
function variableToken(
  around: Environment,
  {
    profile,
    saved,
    given,
    sources,
  }: {
    readonly profile: string
    readonly saved: ServiceSettings
    readonly given: string | undefined
    readonly sources: TargetSources
  },
): string | undefined {
  const { PAYCTL_TOKEN: token, PAYCTL_BASE_URL: named } = around
  if (token === undefined) return undefined
  if (profile === emulatorProfile && given === undefined) {
    sources.note('PAYCTL_TOKEN is not used: it is sent only to an emulator that PAYCTL_BASE_URL or --base-url names.')
    return undefined
  }
  const home = named ?? saved.baseUrl
  if (given !== undefined && home !== undefined) {
    requireHome('PAYCTL_TOKEN', { home, source: named ? 'PAYCTL_BASE_URL' : `profile ${profile}`, baseUrl: given })
  }
  return token
}

/**
 * Throws UsageError if a secret from the environment would go to a service other than its own. The worlds of one
 * emulator count as one service. `home`: URL that the secret belongs to; `source`: setting that names this URL;
 * `baseUrl`: URL that would receive the secret.
 */
export function requireHome(
  variable: string,
  { home, source, baseUrl }: { readonly home: string; readonly source: string; readonly baseUrl: string },
): void {
  const [own, other] = [checkedUrl(home, source, undefined), checkedUrl(baseUrl, 'The base URL', undefined)]
  if (isSameUrl(own, other) || isSameEmulator(own, other)) return
  throw new UsageError(
    say`${variable} belongs to ${own} (${source}), and is not sent to ${other}.`,
    say`Unset ${variable}, or set PAYCTL_BASE_URL=${other} and ${variable} together`,
  )
}

/**
 * Adds the emulator that runs at the URL, unless a token was given. `isRequired`: looks for the emulator anyway, and
 * throws CliError if no emulator is running there.
 */
async function withEmulator(
  place: ServiceSettings,
  { isRequired, token, sources }: { isRequired: boolean; token: string | undefined; sources: TargetSources },
): Promise<ServiceSettings> {
  const { baseUrl } = place
  if (baseUrl === undefined || !isLoopback(baseUrl) || (token !== undefined && !isRequired)) return place
  const [emulator] = (await found(sources, baseUrl)).proven
  if (!emulator && isRequired) throw notThere(baseUrl, (await found(sources)).proven)
  return { ...place, emulator }
}

/** Finds the emulator that the flag selects, or the newest emulator. */
async function emulatorOf(sources: TargetSources): Promise<ServiceSettings> {
  const { emulator: text } = sources.globals
  if (typeof text !== 'string') return newestEmulator(sources)
  const { emulatorNamed } = await import('./named_emulator.ts')
  const { emulator, baseUrl } = await emulatorNamed(text, await found(sources), sources.signal)
  return baseUrl === emulator.base_url ? placeOf(emulator) : inWorld(baseUrl, sources)
}

/** Finds the newest emulator, unless the environment names another emulator. */
async function newestEmulator(sources: TargetSources): Promise<ServiceSettings> {
  const { proven, doubtful } = await found(sources)
  const { PAYCTL_PROFILE: profile, PAYCTL_BASE_URL: world } = sources.env
  if (profile === emulatorProfile && world !== undefined) {
    // The emulator of the `payctl emulate -- command` that started this run.
    const own = proven.find(({ base_url }) => isSameEmulator(base_url, world))
    if (own) return isSameUrl(world, own.base_url) ? placeOf(own) : inWorld(world, sources)
  }
  const [newest, ...others] = proven
  if (newest === undefined) throw noneRuns(doubtful)
  if (others.length === 0) return placeOf(newest)
  const rest = flagsOf(proven).slice(1).join(', ')
  sources.note(
    say`${proven.length} emulators are running; reads go to the newest, ${labelOf(newest)} (${newest.base_url}). Others: ${rest}`,
  )
  return { ...placeOf(newest), unnamedEmulators: proven }
}

const placeOf = (emulator: Announcement): ServiceSettings => ({
  baseUrl: emulator.base_url,
  authUrl: emulator.auth_url,
  emulator,
})

const inWorld = (baseUrl: string, sources: TargetSources): Promise<ServiceSettings> =>
  withEmulator({ baseUrl }, { isRequired: true, token: undefined, sources })

/**
 * Finds proven emulators. Makes no request unless an emulator is announced. `stale`: says whether to remove the files
 * of dead emulators.
 */
async function found(
  { stateDir, signal, globals }: TargetSources,
  at?: string,
  stale: 'remove' | 'keep' = 'remove',
): Promise<ProvenEmulators> {
  const { announcedEmulators, runningEmulators } = await import('./running_emulators.ts')
  const announced = stale === 'keep' ? announcedEmulators(stateDir).running : runningEmulators(stateDir)
  if (announced.length === 0) return { proven: [], doubtful: [] }
  const { provenEmulators } = await import('./proven_emulators.ts')
  return await provenEmulators(announced, { signal, timeout: globals.timeout }, at)
}

const startOne = { kind: 'start_emulator' } as const

const urlsOf = (emulators: readonly Announcement[]): string => emulators.map(({ base_url }) => base_url).join(', ')

function noneRuns(doubtful: readonly Announcement[]): CliError {
  if (doubtful.length === 0) return new CliError('unavailable', 'No emulator is running.', startOne)
  const message = say`No emulator answers. An emulator was started at ${urlsOf(doubtful)}, but it does not answer, or another program has that address now.`
  return new CliError('unavailable', message, startOne)
}

const notThere = (baseUrl: string, running: readonly Announcement[]): CliError =>
  new CliError(
    'unavailable',
    say`No emulator that you started answers at ${baseUrl}.`,
    running.length === 0 ? startOne : say`Running: ${urlsOf(running)}`,
  )

async function noService(profile: string, sources: TargetSources): Promise<UsageError> {
  const { proven } = await found(sources, undefined, 'keep')
  const emulators = flagsOf(proven)
  return new UsageError(say`No service is set (profile ${profile}).`, { kind: 'name_service', profile, emulators })
}

/** Error that lists the existing profiles and suggests the most similar name. */
export function unknownProfile(name: string, { current, profiles }: Config): UsageError {
  const names = [...Object.keys(profiles).filter((other) => other !== emulatorProfile), emulatorProfile]
  const near = nearest(name, names)
  return new UsageError(say`Profile ${`'${name}'`} does not exist.`, {
    kind: 'choose_profile',
    unknown: name,
    known: names,
    near,
    isCurrent: current === name,
  })
}
