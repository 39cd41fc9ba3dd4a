import { baseUrlFault, exposure, normalUrl } from '../client/base_url.ts'
import { UsageError } from '../errors/cli_error.ts'

/** `text` in its normal spelling. `name` is what the user calls it. A token never leaves in the clear. */
export function checkedUrl(text: string, name: string, token: string | undefined): string {
  const url = normalUrl(text)
  const fault = baseUrlFault(text) ?? (token === undefined ? undefined : exposure(url))
  if (fault) throw new UsageError(`${name} ${fault.problem}`, fault.remedy)
  return url
}

/** Whether both name one place, however they are written. */
export const isSameUrl = (one: string, other: string): boolean => normalUrl(one) === normalUrl(other)
