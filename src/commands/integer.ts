import { InvalidArgumentError } from 'commander'

interface Bounds {
  readonly min: number
  readonly max?: number
}

/** A parser of whole numbers for an option or argument. */
export const integer =
  ({ min, max = Number.MAX_SAFE_INTEGER }: Bounds) =>
  (text: string): number => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} up` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`Give a whole number ${range}.`)
  }
