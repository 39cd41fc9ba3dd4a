import { baseUrlFault, exposure } from '../client/base_url.ts'
import { UsageError } from '../output/cli_error.ts'

/** `text` without a slash at its end. `name` is what the user calls it. A token never leaves in the clear. */
export function checkedUrl(text: string, name: string, token: string | undefined): string {
  const fault = baseUrlFault(text) ?? (token === undefined ? undefined : exposure(text))
  if (fault) throw new UsageError(`${name} ${fault.problem}`, fault.remedy)
  return withoutSlash(text)
}

/** Whether both name one place, however they are written. */
export const isSameUrl = (one: string, other: string): boolean => normal(one) === normal(other)

const normal = (url: string): string => withoutSlash(URL.canParse(url) ? new URL(url).href : url)

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '')
