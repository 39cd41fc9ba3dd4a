import { UsageError } from '../output/cli_error.ts'

/** The last two mean any address of this machine, where an emulator bound to all of them answers. */
const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|\[::\])$/

export const isLoopback = (url: string): boolean => URL.canParse(url) && loopback.test(new URL(url).hostname)

/** `text` without a slash at its end. `name` is what the user calls it. A token never leaves in the clear. */
export function checkedUrl(text: string, name: string, token: string | undefined): string {
  const hint = 'Give one like https://api.example.com'
  if (!URL.canParse(text)) throw new UsageError(`${name} is not a URL.`, hint)
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new UsageError(`${name} must begin with https:// or http://, not ${url.protocol}`, hint)
  }
  if (url.username || url.password)
    throw new UsageError(`${name} must not hold a user name or password.`, 'Use PAYCTL_TOKEN.')
  if (url.search || url.hash) throw new UsageError(`${name} must not hold a query or fragment.`, hint)
  if (url.protocol === 'http:' && token !== undefined && !isLoopback(text)) {
    throw new UsageError(
      `${name} is http on another machine (${url.host}): anybody on the way could read the token and move money.`,
      `Use https://${url.host}`,
    )
  }
  return withoutSlash(text)
}

/** Whether both name one place, however they are written. */
export const isSameUrl = (one: string, other: string): boolean => normal(one) === normal(other)

const normal = (url: string): string => withoutSlash(URL.canParse(url) ? new URL(url).href : url)

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
