import { isLoopback } from '../client/loopback.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import type { Environment, Globals } from '../run/invocation.ts'
import { checkedUrl, isSameEmulator, isSameUrl } from './base_url.ts'
import { type Config, emulatorProfile, findProfile, profileInUse } from './profile.ts'
import type { Found } from './proven_emulators.ts'
import type { Announcement } from './running_emulators.ts'

/** Where requests go and as whom: resolved from flags, environment, profile and defaults, in that order. */
export interface Target {
  readonly profile: string
  readonly baseUrl: string
  readonly authUrl: string
  /** Given for this run; outranks a login. */
  readonly token: string | undefined
  /** What runs at the base URL, proven. Its own token is what is left where none was given and nobody logged in. */
  readonly emulator: Announcement | undefined
  /** Base URLs of others that run, where nothing says which is meant. */
  readonly otherEmulators: readonly string[]
  readonly settings: Settings
}

/** What a service wants to be told, beyond its address. */
export interface Settings {
  /** Of the OAuth client that payctl is to this service. */
  readonly clientId: string | undefined
  /** Name of the upstream rate provider in its endpoint's path. */
  readonly fxProvider: string
}

export interface TargetSources {
  readonly globals: Globals
  readonly env: Environment
  readonly stateDir: string
  readonly signal: AbortSignal
  /** Read only where no flag decides. */
  readonly config: () => Config
  readonly note: (text: string) => void
}

/** What one source says of a service. */
interface ServiceSettings {
  readonly baseUrl?: string | undefined
  readonly authUrl?: string | undefined
  readonly clientId?: string | undefined
  readonly fxProvider?: string | undefined
  readonly emulator?: Announcement | undefined
  readonly otherEmulators?: readonly string[]
}

/**
 * Flags, then environment, then profile, then default, for each value. A profile chosen by a flag outranks the
 * environment as a whole, and what environment or profile say of a service goes with their own URL only: `--emulator`
 * must never reach a real service, nor a login at one service give a token for another.
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
  const place =
    isEmulator && given === undefined
      ? await newestEmulator(sources)
      : await withEmulator(withBaseUrl(given, saved), { isRequired: flagged === emulatorProfile, token, sources })
  const { baseUrl, emulator } = place
  if (baseUrl === undefined) throw noBaseUrl(profile)
  const variables = variablePlace(around, baseUrl)
  const authUrl = globals.authUrl ?? variables.authUrl ?? place.authUrl ?? baseUrl
  const secret = token ?? emulator?.token
  return {
    profile,
    baseUrl: checkedUrl(baseUrl, 'The base URL', secret),
    authUrl: checkedUrl(authUrl, 'The auth URL', secret),
    token,
    emulator,
    otherEmulators: place.otherEmulators ?? [],
    settings: {
      clientId: variables.clientId ?? place.clientId ?? emulator?.client_id,
      fxProvider: variables.fxProvider ?? place.fxProvider ?? 'upstream',
    },
  }
}

function profileFlag({ profile, emulator, baseUrl, authUrl }: Globals): string | undefined {
  if (emulator && profile !== undefined && profile !== emulatorProfile) {
    throw new UsageError(`--emulator and --profile ${profile} name two places.`, 'Give one of them.')
  }
  const flagged = emulator ? emulatorProfile : profile
  if (flagged === emulatorProfile && (authUrl !== undefined || (baseUrl !== undefined && !isLoopback(baseUrl)))) {
    throw new UsageError(
      '--emulator already says where requests go: to this machine. --base-url and --auth-url name another place.',
      'Leave one of them out.',
    )
  }
  return flagged
}

function requireThisMachine({ PAYCTL_PROFILE, PAYCTL_BASE_URL }: Environment): void {
  if (PAYCTL_BASE_URL === undefined || isLoopback(PAYCTL_BASE_URL)) return
  throw new UsageError(
    `${PAYCTL_PROFILE === undefined ? 'The profile in use is the' : 'PAYCTL_PROFILE says'} emulator, but PAYCTL_BASE_URL names another machine.`,
    'Unset one of them, or choose with a flag: --emulator or --base-url',
  )
}

function savedPlace(name: string, config: Config): ServiceSettings {
  const profile = findProfile(config, name)
  if (profile === undefined) throw unknownProfile(name, config)
  const { base_url: baseUrl, auth_url: authUrl, client_id: clientId, fx_provider: fxProvider } = profile
  return { baseUrl, authUrl, clientId, fxProvider }
}

/** A URL that is given is another place than the one that was saved, unless they are the same. */
function withBaseUrl(given: string | undefined, saved: ServiceSettings): ServiceSettings {
  const isSaved = given === undefined || saved.baseUrl === undefined || isSameUrl(given, saved.baseUrl)
  return isSaved ? { ...saved, baseUrl: given ?? saved.baseUrl } : { baseUrl: given }
}

/** What the environment says of its service, where requests go to that. */
function variablePlace(around: Environment, baseUrl: string): ServiceSettings {
  const { PAYCTL_BASE_URL: named, PAYCTL_AUTH_URL, PAYCTL_CLIENT_ID, PAYCTL_FX_PROVIDER } = around
  if (named !== undefined && !isSameUrl(named, baseUrl) && !isSameEmulator(named, baseUrl)) return {}
  // Each world of an emulator is its own OAuth server.
  const authUrl = PAYCTL_AUTH_URL !== undefined && isSameEmulator(PAYCTL_AUTH_URL, baseUrl) ? baseUrl : PAYCTL_AUTH_URL
  return { authUrl, clientId: PAYCTL_CLIENT_ID, fxProvider: PAYCTL_FX_PROVIDER }
}

interface TokenContext {
  readonly profile: string
  readonly saved: ServiceSettings
  readonly given: string | undefined
  readonly sources: TargetSources
}

/** PAYCTL_TOKEN, where nothing says that it belongs elsewhere. */
function variableToken(around: Environment, { profile, saved, given, sources }: TokenContext): string | undefined {
  const { PAYCTL_TOKEN: token, PAYCTL_BASE_URL: named } = around
  if (token === undefined) return undefined
  if (profile === emulatorProfile && given === undefined) {
    sources.note('PAYCTL_TOKEN is not used: it goes to no emulator that PAYCTL_BASE_URL or --base-url does not name.')
    return undefined
  }
  const home = named ?? saved.baseUrl
  if (given !== undefined && home !== undefined) {
    requireHome('PAYCTL_TOKEN', { home, source: named ? 'PAYCTL_BASE_URL' : `profile ${profile}`, baseUrl: given })
  }
  return token
}

interface SecretRoute {
  /** Where a secret belongs, and what says so. */
  readonly home: string
  readonly source: string
  /** Where it would go. */
  readonly baseUrl: string
}

/** Throws UsageError where a secret of the environment would go to another service than its own. Worlds of one emulator share theirs. */
export function requireHome(variable: string, { home, source, baseUrl }: SecretRoute): void {
  const [own, other] = [checkedUrl(home, source, undefined), checkedUrl(baseUrl, 'The base URL', undefined)]
  if (isSameUrl(own, other) || isSameEmulator(own, other)) return
  throw new UsageError(
    `${variable} belongs to ${own} (${source}), and is not sent to ${other}.`,
    `Unset ${variable}, or set PAYCTL_BASE_URL=${other} and ${variable} together`,
  )
}

/** A running emulator at the place brings its own token, where none is given for it. */
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

/** Of several, the newest, unless the surroundings say which. */
async function newestEmulator(sources: TargetSources): Promise<ServiceSettings> {
  const { proven, doubtful } = await found(sources)
  const own = proven.find(({ base_url }) => isOfSurroundings(base_url, sources.env))
  const { PAYCTL_BASE_URL: world } = sources.env
  if (own) return world === undefined || isSameUrl(world, own.base_url) ? placeOf(own) : inWorld(world, sources)
  const [newest, ...others] = proven
  if (newest === undefined) throw noneRuns(doubtful)
  const otherEmulators = others.map(({ base_url }) => base_url)
  if (others.length > 0) {
    const rest = otherEmulators.map((url) => `--base-url ${url}`).join(', ')
    sources.note(`${proven.length} emulators are running; using the newest, ${newest.base_url}. Others: ${rest}`)
  }
  return { ...placeOf(newest), otherEmulators }
}

const placeOf = (emulator: Announcement): ServiceSettings => ({
  baseUrl: emulator.base_url,
  authUrl: emulator.auth_url,
  emulator,
})

/** Whether it is the one that `payctl emulate -- command` started for the command that this run is part of. */
const isOfSurroundings = (url: string, { PAYCTL_PROFILE, PAYCTL_BASE_URL }: Environment): boolean =>
  PAYCTL_PROFILE === emulatorProfile && PAYCTL_BASE_URL !== undefined && isSameEmulator(url, PAYCTL_BASE_URL)

const inWorld = (baseUrl: string, sources: TargetSources): Promise<ServiceSettings> =>
  withEmulator({ baseUrl }, { isRequired: true, token: undefined, sources })

/** Asks nobody where none was announced. */
async function found({ stateDir, signal, globals }: TargetSources, at?: string): Promise<Found> {
  const { runningEmulators } = await import('./running_emulators.ts')
  const announced = runningEmulators(stateDir)
  if (announced.length === 0) return { proven: [], doubtful: [] }
  const { provenEmulators } = await import('./proven_emulators.ts')
  return await provenEmulators(announced, { signal, timeout: globals.timeout }, at)
}

const startOne = 'Start one: payctl emulate'

const urlsOf = (emulators: readonly Announcement[]): string => emulators.map(({ base_url }) => base_url).join(', ')

function noneRuns(doubtful: readonly Announcement[]): CliError {
  if (doubtful.length === 0) return new CliError('unavailable', 'No emulator is running.', startOne)
  const message = `No emulator answers: one was announced at ${urlsOf(doubtful)}, and what is there now is not it.`
  return new CliError('unavailable', message, startOne)
}

const notThere = (baseUrl: string, running: readonly Announcement[]): CliError =>
  new CliError(
    'unavailable',
    `No emulator that you started answers at ${baseUrl}.`,
    running.length === 0 ? startOne : `Running: ${urlsOf(running)}`,
  )

const noBaseUrl = (profile: string): UsageError =>
  new UsageError(
    `No base URL: payctl does not know where to send requests (profile ${profile}).`,
    `Set PAYCTL_BASE_URL or give --base-url; keep it with payctl profiles set ${profile} --base-url <url>, or payctl login --base-url <url>; or start an emulator with payctl emulate and add --emulator.`,
  )

/** With the names that there are, the one that is most like it first. */
export function unknownProfile(name: string, { current, profiles }: Config): UsageError {
  const names = [...Object.keys(profiles).filter((other) => other !== emulatorProfile), emulatorProfile]
  const near = nearest(name, names)
  const suggestion = near === undefined ? '' : `Did you mean ${near}? `
  const remedy =
    current === name ? 'Choose one: payctl profiles use <name>' : 'Add one: payctl profiles set <name> --base-url <url>'
  return new UsageError(`There is no profile '${name}'.`, `${suggestion}Profiles: ${names.join(', ')}. ${remedy}`)
}
