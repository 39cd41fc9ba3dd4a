import { isLoopback } from '../client/loopback.ts'
import type { Environment, Globals, Target } from '../commands/context.ts'
import { CliError, UsageError } from '../output/cli_error.ts'
import { checkedUrl, isSameUrl } from './base_url.ts'
import { type Config, emulatorProfile, findProfile, profileInUse } from './profile.ts'
import { unknownProfile } from './unknown_profile.ts'

export interface TargetSources {
  readonly globals: Globals
  readonly env: Environment
  readonly stateDir: string
  /** Read only where no flag decides. */
  readonly config: () => Config
  readonly note: (text: string) => void
}

/** What one source says of a service. */
interface Place {
  readonly baseUrl?: string | undefined
  readonly authUrl?: string | undefined
  readonly token?: string | undefined
  readonly clientId?: string | undefined
  readonly fxProvider?: string | undefined
}

/**
 * Flags, then environment, then profile, then default, for each value. A profile chosen by a flag outranks the
 * environment as a whole, and what a profile says of its service goes with the profile's own URL only: `--emulator`
 * must never reach a real service, nor a login at one service give a token for another.
 */
export async function resolveTarget({ globals, env, stateDir, config, note }: TargetSources): Promise<Target> {
  const flagged = profileFlag(globals)
  const around: Environment = flagged === undefined ? env : {}
  const profile = flagged ?? profileInUse(globals, around, config)
  const isEmulator = profile === emulatorProfile
  const saved = isEmulator ? {} : savedPlace(profile, config())
  if (isEmulator && globals.baseUrl === undefined) requireThisMachine(around)
  const given = globals.baseUrl ?? around.PAYCTL_BASE_URL
  const place = isEmulator && given === undefined ? await newestEmulator(stateDir, note) : withBaseUrl(given, saved)
  const { baseUrl } = place
  if (baseUrl === undefined) throw noBaseUrl(profile)
  const token = globals.token ?? around.PAYCTL_TOKEN ?? place.token
  const authUrl = globals.authUrl ?? around.PAYCTL_AUTH_URL ?? place.authUrl ?? baseUrl
  return {
    profile,
    baseUrl: checkedUrl(baseUrl, 'The base URL', token),
    authUrl: checkedUrl(authUrl, 'The auth URL', token),
    token,
    settings: {
      clientId: around.PAYCTL_CLIENT_ID ?? place.clientId,
      fxProvider: around.PAYCTL_FX_PROVIDER ?? place.fxProvider ?? 'upstream',
    },
  }
}

function profileFlag({ profile, emulator, baseUrl, authUrl }: Globals): string | undefined {
  if (emulator && profile !== undefined && profile !== emulatorProfile) {
    throw new UsageError(`--emulator and --profile ${profile} name two places.`, 'Give one of them.')
  }
  const flagged = emulator ? emulatorProfile : profile
  if (flagged === emulatorProfile && (baseUrl !== undefined || authUrl !== undefined)) {
    throw new UsageError(
      '--emulator already says where requests go; --base-url and --auth-url name another place.',
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

function savedPlace(name: string, config: Config): Place {
  const profile = findProfile(config, name)
  if (profile === undefined) throw unknownProfile(name, config)
  const { base_url: baseUrl, auth_url: authUrl, client_id: clientId, fx_provider: fxProvider } = profile
  return { baseUrl, authUrl, clientId, fxProvider }
}

/** A URL that is given is another place than the one that was saved, unless they are the same. */
function withBaseUrl(given: string | undefined, saved: Place): Place {
  const isSaved = given === undefined || saved.baseUrl === undefined || isSameUrl(given, saved.baseUrl)
  return isSaved ? { ...saved, baseUrl: given ?? saved.baseUrl } : { baseUrl: given }
}

async function newestEmulator(stateDir: string, note: (text: string) => void): Promise<Place> {
  const { runningEmulators } = await import('./running_emulators.ts')
  const [newest, ...others] = runningEmulators(stateDir)
  if (newest === undefined) throw new CliError('unavailable', 'No emulator is running.', 'Start one: payctl emulate')
  if (others.length > 0) {
    note(`${others.length + 1} emulators are running; using the newest, ${newest.base_url}. Others: --base-url`)
  }
  return { baseUrl: newest.base_url, authUrl: newest.auth_url, token: newest.token, clientId: newest.client_id }
}

const noBaseUrl = (profile: string): UsageError =>
  new UsageError(
    `No base URL: payctl does not know where to send requests (profile ${profile}).`,
    `Set PAYCTL_BASE_URL or give --base-url; keep it with payctl profiles set ${profile} --base-url <url>, or payctl login --base-url <url>; or start an emulator with payctl emulate and add --emulator.`,
  )
