import type { Target } from '../commands/context.ts'
import { checkedUrl } from '../config/base_url.ts'
import { credentialsFile } from '../config/directories.ts'
import type { Credentials } from './credentials.ts'
import { readCredentials, secureCredentialsFile } from './credentials_file.ts'
import { requireSameService } from './refusals.ts'
import type { RenewalOptions } from './renewal.ts'
import { createTokenSource, type TokenSource } from './token_source.ts'

export interface StoredOptions extends Omit<RenewalOptions, 'profile' | 'forced'> {
  readonly stateDir: string
}

/**
 * The credentials that a login left for this target, or undefined when there are none. Throws CliError when they are
 * for another service.
 */
export async function findCredentials(target: Target, options: StoredOptions): Promise<Credentials | undefined> {
  const { configDir, note } = options
  const { profile, baseUrl } = target
  const mode = await secureCredentialsFile(configDir)
  if (mode !== undefined) {
    note(
      `${credentialsFile(configDir)} could be read by others (mode ${mode.toString(8)}); now only by you. If somebody else uses this machine, log in anew.`,
    )
  }
  const credentials = await readCredentials(configDir, profile)
  if (!credentials || !(await isOfRunningEmulator(credentials, options.stateDir))) return undefined
  requireSameService(credentials, target)
  checkedUrl(baseUrl, 'The base URL', credentials.access_token)
  checkedUrl(credentials.auth_url, 'The auth URL', credentials.access_token)
  return credentials
}

/** A token that is renewed when it is due. */
export function sourceOf(credentials: Credentials, target: Target, options: StoredOptions): TokenSource {
  const { profile } = target
  const { note, signal } = options
  return createTokenSource(credentials, {
    profile,
    note,
    signal,
    async renew(current, { urgent }) {
      const { renewCredentials } = await import('./renewal.ts')
      return await renewCredentials(current, { ...options, profile, ...(!urgent && inHaste(options)) })
    },
  })
}

/** Milliseconds for what comes before a renewal that can be done without. */
const haste = 5_000

const inHaste = ({ timeout = haste }: StoredOptions) => ({
  retries: 0,
  timeout: Math.min(timeout, haste),
  haste: AbortSignal.timeout(haste),
})

/** An emulator's world may end with it, and its port go to the next. */
async function isOfRunningEmulator({ emulator_pid, base_url }: Credentials, stateDir: string): Promise<boolean> {
  if (emulator_pid === undefined) return true
  const { runningEmulators } = await import('../config/running_emulators.ts')
  const running = runningEmulators(stateDir)
  return running.some((emulator) => emulator.pid === emulator_pid && emulator.base_url === base_url)
}
