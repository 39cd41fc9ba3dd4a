import { baseUrlFault, exposure, normalUrl } from '../client/base_url.ts'
import { isLoopback } from '../client/loopback.ts'
import { withoutWorld } from '../contract/world_path.ts'
import { UsageError } from '../errors/cli_error.ts'

/** The normal spelling of `text`. `name` is for messages. Throws UsageError, also if a token would leave in the clear. */
export function checkedUrl(text: string, name: string, token: string | undefined): string {
  const url = normalUrl(text)
  const fault = baseUrlFault(text) ?? (token === undefined ? undefined : exposure(url))
  if (fault) throw new UsageError(`${name} ${fault.problem}`, fault.remedy)
  return url
}

/** Whether both URLs are the same in their normal spelling. */
export const isSameUrl = (one: string, other: string): boolean => normalUrl(one) === normalUrl(other)

/** Whether both lead to one emulator on this machine, to the same of its worlds or to another. */
export const isSameEmulator = (one: string, other: string): boolean =>
  isLoopback(one) && isSameUrl(withoutWorld(normalUrl(one)), withoutWorld(normalUrl(other)))
