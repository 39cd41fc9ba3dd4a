import { baseUrlFault, exposure, isLoopback, normalUrl } from '../client/base_url.ts'
import { withoutWorld } from '../contract/emulator_names.ts'
import { UsageError } from '../errors/cli_error.ts'
import { foreign, say } from '../words/text.ts'

/**
 * The normalized URL. `name` labels the URL in messages. Throws UsageError for a bad URL, and for a URL to which a
 * token would be sent unencrypted.
 */
export function checkedUrl(text: string, name: string, token: string | undefined): string {
  const url = normalUrl(text)
  const fault = baseUrlFault(text) ?? (token === undefined ? undefined : exposure(url))
  if (fault) throw new UsageError(say`${foreign(name)} ${foreign(fault.problem)}`, foreign(fault.remedy))
  return url
}

/** True if the normalized URLs are equal. */
export const isSameUrl = (one: string, other: string): boolean => one === other || normalUrl(one) === normalUrl(other)

/** True if both URLs lead to the same emulator on this machine, even if to different worlds. */
export const isSameEmulator = (one: string, other: string): boolean =>
  isLoopback(one) && isSameUrl(withoutWorld(normalUrl(one)), withoutWorld(normalUrl(other)))
