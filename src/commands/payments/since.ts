import { InvalidArgumentError } from 'commander'
import { duration } from '../../run/duration.ts'

/** A parser of a moment: a date, a time, or how long ago it was, to an ISO time. A date begins where the user is. */
export function since(text: string): string {
  if (/^\d+(\.\d+)?(ms|s|m|h|d)$/.test(text)) return new Date(Date.now() - duration(text)).toISOString()
  const local = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text
  const time = new Date(local)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new InvalidArgumentError('Give a date (2026-11-20), a time (2026-11-20T14:30) or how long ago (24h).')
}
