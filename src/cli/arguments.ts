import { InvalidArgumentError } from 'commander'
import { parseDuration, parseKeyLife } from '../run/time.ts'
import { parseDocument } from '../values/document.ts'

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
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`Give a whole number ${range}.`)
  }

export const concurrencyFlag = (about: string) =>
  ({ '--concurrency <n>': { about, parse: integer({ min: 1, max: 32 }), default: 4 } }) as const

/** A parser of numbers from 0 to 1 for an option. */
export function fraction(text: string): number {
  const number = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= 0 && number <= 1) return number
  throw new InvalidArgumentError('Give a number from 0 to 1.')
}

/** A parser for a flag that may be repeated: collects its values. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** A parser of identity document numbers for `--document`: `3-101-123456` becomes `3101123456`. */
export const documentNumber = (text: string): string => parseDocument(text, '--document').number

/** A parser of UUIDs for an option or argument. */
export function uuid(text: string): string {
  const id = text.trim().toLowerCase()
  if (isUuid(id)) return id
  throw new InvalidArgumentError('Give a UUID like 3f2504e0-4f89-41d3-9a0c-0305e82c3301.')
}

const timeForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/**
 * A parser of times; returns ISO 8601 strings. A time without a zone is in Costa Rica's time zone, whose offset is the
 * same all year.
 */
export function instant(text: string): string {
  const [, date, time = '00:00', zone = '-06:00'] = timeForm.exec(text) ?? []
  const whole = `${date}T${time}${zone}`
  if (date !== undefined && !Number.isNaN(Date.parse(whole))) return whole
  throw new InvalidArgumentError('Give a time like 2030-01-05T18:00:00Z.')
}

/**
 * A parser of durations such as `500ms`, `30s`, `1.5m`, `2h` and `1d`. The limits and the result are in milliseconds.
 */
const durationWithin =
  (shortest: number, longest: number) =>
  (text: string): number => {
    const ms = parseDuration(text)
    if (ms >= shortest && ms <= longest) return ms
    throw new InvalidArgumentError('Give a number with its unit: 500ms, 30s, 2m, 1h.')
  }

/** A parser of durations that a timer accepts. */
export const duration = durationWithin(1, 2 ** 31 - 1)

/** A parser of lifetimes of the emulator's idempotency keys, from `1s` to `3650d`. */
export const keyTtl = durationWithin(1000, 3650 * 86_400_000)

/**
 * A parser of durations for the emulator's clock, from `0s` to `366d`. These durations may be longer than a timer
 * accepts.
 */
export const emulatedDuration = durationWithin(0, 366 * 86_400_000)

function keyLife(text: string): number {
  const ms = parseKeyLife(text)
  if (!Number.isNaN(ms)) return ms
  throw new InvalidArgumentError('Give a time from 1m to 3650d, such as 24h.')
}

/**
 * Flag of commands that can send a payment again. Its value, parsed to milliseconds, is the time for which the service
 * remembers idempotency keys.
 */
export const keyLifeFlag = {
  '--key-life <duration>': {
    about:
      'time for which the service remembers keys (default: 24h)\nolder payments in doubt are sent again only after a question',
    parse: keyLife,
  },
} as const

/** Parses the time for which answers are cached; returns milliseconds, 0 for `none`. */
export const cacheTime = (text: string): number => (text === 'none' ? 0 : durationWithin(1000, 30 * 86_400_000)(text))
