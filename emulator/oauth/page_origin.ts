import type { Request } from '../http_server.ts'
import { PageRefusal } from './refusals.ts'

/**
 * Refuses a form that another page has sent. There is no session to ride on, so what matters is which page the browser
 * was on, and browsers say so in these headers on every POST; a program sends neither.
 */
export function refuseForeignForm({ headers }: Request): void {
  const { host, origin, 'sec-fetch-site': site } = headers
  const sameSite = site === undefined || site === 'same-origin'
  const sameHost = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())
  if (sameSite && sameHost) return
  throw new PageRefusal(
    403,
    'Not from here',
    'This answer came from another page than the one that asked the question.',
  )
}
