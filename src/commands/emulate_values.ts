import { InvalidArgumentError } from 'commander'
import { duration } from './arguments.ts'

/** A name for the data file. Refuses an empty one, which comes from an unset variable. */
export function dataFile(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('Name a file, or leave --data out to keep the world in memory.')
}

/** How long payments take: milliseconds, or `manual`. */
export function settle(text: string): number | 'manual' {
  if (text === 'manual') return text
  return text === 'instant' ? 0 : duration(text)
}

/** Requests a minute. */
export function rateLimit(text: string): number | 'off' {
  if (text === 'off') return text
  const [, number] = /^([1-9]\d{0,8})(?:\/min)?$/.exec(text) ?? []
  if (number !== undefined) return Number(number)
  throw new InvalidArgumentError('Give requests a minute like 60/min, or off.')
}

/** A share of a rate, from 0 up to but not including 1. */
export function fraction(text: string): number {
  if (/^0(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a fraction like 0.004, which is 0.4 %.')
}

/** A segment of the API's path. */
export function providerName(text: string): string {
  if (/^[a-z0-9_]{1,64}$/.test(text)) return text
  throw new InvalidArgumentError('Give a name of lower case letters, digits and underscores.')
}
