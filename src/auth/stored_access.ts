import { checkedUrl, isSameUrl } from '../config/base_url.ts'
import type { Target } from '../config/target.ts'
import { credentialsFile } from '../files/directories.ts'
import type { Credentials } from './credentials.ts'
import { readCredentials, replaceCredentials, secureCredentialsFile } from './credentials_file.ts'
import { requireSameService } from './refusals.ts'
import type { RenewalOptions } from './renewal.ts'
import { createTokenSource, type TokenSource } from './token_source.ts'

export type StoredOptions = Omit<RenewalOptions, 'profile' | 'forced'>

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
  if (!credentials) return undefined
  if (!isOfEmulator(credentials, target)) {
    if (hasOutlivedWorld(credentials, target)) await drop(credentials, target, options)
    return undefined
  }
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

/**
 * Whether a login counts at the target. Of an emulator it lasts as long as the world that it was made in: that ends
 * with a reset, or with the emulator, whose port goes to the next. And where one runs that nobody has logged in at, its
 * own token serves, whatever the profile is logged in at.
 */
export function isOfEmulator({ emulator_world, base_url }: Credentials, { baseUrl, emulator }: Target): boolean {
  if (emulator_world !== undefined && emulator_world !== emulator?.world) return false
  return !emulator || isSameUrl(base_url, baseUrl)
}

const hasOutlivedWorld = ({ base_url }: Credentials, { baseUrl, emulator }: Target): boolean =>
  emulator !== undefined && isSameUrl(base_url, baseUrl)

/** The run goes on with the emulator's own token; where nothing can be written the next one finds the same. */
async function drop(last: Credentials, { profile }: Target, { configDir, note }: StoredOptions): Promise<void> {
  await replaceCredentials(configDir, profile, { last, next: undefined }).catch(() => false)
  note(`The login of profile '${profile}' ended with the world that it was made in: using the emulator’s own token.`)
}
