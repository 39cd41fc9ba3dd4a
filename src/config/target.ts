import type { Environment, Globals, Target } from '../commands/context.ts'
import { CliError, UsageError } from '../output/cli_error.ts'
import { checkedUrl, isLoopback } from './base_url.ts'

export interface TargetSources {
  readonly globals: Globals
  readonly env: Environment
  readonly stateDir: string
  readonly note: (text: string) => void
}

/**
 * Flags, then environment, then profile. A profile chosen by a flag outranks the environment as a whole, and a
 * profile's token only goes to the profile's own URL: `--emulator` must never reach a real service.
 */
export async function resolveTarget({ globals, env, stateDir, note }: TargetSources): Promise<Target> {
  const flagged = profileFlag(globals)
  const { PAYCTL_PROFILE, PAYCTL_BASE_URL, PAYCTL_AUTH_URL, PAYCTL_TOKEN }: Environment = flagged ? {} : env
  const profile = flagged ?? PAYCTL_PROFILE
  if (profile !== undefined && profile !== 'emulator') throw unknownProfile(profile)
  const given = globals.baseUrl ?? PAYCTL_BASE_URL
  if (profile && globals.baseUrl === undefined && PAYCTL_BASE_URL && !isLoopback(PAYCTL_BASE_URL)) {
    throw new UsageError(
      'PAYCTL_PROFILE says emulator, but PAYCTL_BASE_URL names another machine.',
      'Unset one of them, or choose with a flag: --emulator or --base-url',
    )
  }
  if (given === undefined && profile === undefined) throw noBaseUrl()
  const place =
    given === undefined
      ? await newestEmulator(stateDir, note)
      : { baseUrl: given, authUrl: undefined, token: PAYCTL_TOKEN }
  const token = globals.token ?? PAYCTL_TOKEN ?? place.token
  const authUrl = globals.authUrl ?? PAYCTL_AUTH_URL ?? place.authUrl ?? place.baseUrl
  return {
    profile: profile ?? 'default',
    baseUrl: checkedUrl(place.baseUrl, 'The base URL', token),
    authUrl: checkedUrl(authUrl, 'The auth URL', token),
    token,
  }
}

function profileFlag({ profile, emulator, baseUrl, authUrl }: Globals): string | undefined {
  if (emulator && profile !== undefined && profile !== 'emulator') {
    throw new UsageError(`--emulator and --profile ${profile} name two places.`, 'Give one of them.')
  }
  const flagged = emulator ? 'emulator' : profile
  if (flagged === 'emulator' && (baseUrl !== undefined || authUrl !== undefined)) {
    throw new UsageError(
      '--emulator already says where requests go; --base-url and --auth-url name another place.',
      'Leave one of them out.',
    )
  }
  return flagged
}

async function newestEmulator(stateDir: string, note: (text: string) => void) {
  const { runningEmulators } = await import('./running_emulators.ts')
  const [newest, ...others] = await runningEmulators(stateDir)
  if (newest === undefined) throw new CliError('unavailable', 'No emulator is running.', 'Start one: payctl emulate')
  if (others.length > 0) {
    note(`${others.length + 1} emulators are running; using the newest, ${newest.base_url}. Others: --base-url`)
  }
  return { baseUrl: newest.base_url, authUrl: newest.auth_url, token: newest.token }
}

const unknownProfile = (name: string): UsageError =>
  new UsageError(`There is no profile '${name}'.`, 'The only profile is emulator: payctl --emulator <command>')

const noBaseUrl = (): UsageError =>
  new UsageError(
    'No base URL: payctl does not know where to send requests.',
    'Set PAYCTL_BASE_URL or give --base-url; or start an emulator with payctl emulate and add --emulator.',
  )

export const noToken = (): CliError =>
  new CliError(
    'unauthenticated',
    'No token: this command needs one.',
    'Set PAYCTL_TOKEN. With a running emulator, --emulator brings its token.',
  )
