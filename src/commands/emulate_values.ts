import { InvalidArgumentError } from 'commander'
import { duration } from './duration.ts'

/** How long payments take: milliseconds, or `manual`. */
export function settle(text: string): number | 'manual' {
  if (text === 'manual') return text
  return text === 'instant' ? 0 : duration(text)
}

/** Requests a minute, or null for no limit. */
export function rateLimit(text: string): number | null {
  if (text === 'off') return null
  const [, number] = /^([1-9]\d{0,8})(?:\/min)?$/.exec(text) ?? []
  if (number !== undefined) return Number(number)
  throw new InvalidArgumentError('Give requests a minute like 60/min, or off.')
}
