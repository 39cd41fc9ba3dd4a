import type { Currency } from '../../../src/contract/index.ts'
import { Matcher, matching, shown, text } from './matching.ts'

/** Epoch milliseconds to ISO 8601 UTC with microseconds, in whole seconds. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}.000000Z`

/** True for a time of the service between two times, both included, in epoch milliseconds. */
export const timeBetween = (from: number, to: number) => (value: unknown) => {
  const time = isTimestamp(value) ? Date.parse(value as string) : Number.NaN
  return time >= Math.floor(from / 1000) * 1000 && time <= to
}

/** True for one of these times, in epoch milliseconds. */
export const isOneOf = (times: readonly number[]) => (value: unknown) => times.some((at) => timeBetween(at, at)(value))

export const isTimestamp = text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.0{6}Z$/)

/** Costa Rica is UTC-6 all year. */
const local = (ms: number): string => new Date(ms - 6 * 3_600_000).toISOString()

export const localDate = (ms: number): string => local(ms).slice(0, 10).replaceAll('-', '')

/** Writes a time as ISO 8601 with the offset of Costa Rica. */
export const localTime = (ms: number): string => `${local(ms).slice(0, 19)}-06:00`

/** Writes a time as `YYYY-MM-DD HH:MM:SS`, the form in events. */
export const localDateTime = (ms: number): string => local(ms).slice(0, 19).replace('T', ' ')

/** Pattern of a UUID; requests may write it in upper case. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = text(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)

/** Writes minor units as `#,##0.00 CUR`. */
export function formatted(minor: number, currency: Currency): string {
  const whole = String(Math.floor(Math.abs(minor) / 100)).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${minor < 0 ? '-' : ''}${whole}.${String(Math.abs(minor) % 100).padStart(2, '0')} ${currency}`
}

export const money = (value: number, currency: Currency) => ({ value, currency, formatted: formatted(value, currency) })

/** Matches a Money object with one of several values. */
export const moneyOf = (currency: Currency, values: Amounts): Matcher =>
  new Matcher((actual) => {
    const { value } = (actual ?? {}) as { value?: unknown }
    if (!values.has(value)) return `${shown(actual)} instead of ${values.shown} ${currency}`
    const expected = shown(money(value as number, currency))
    return shown(actual) === expected ? null : `${shown(actual)} instead of ${expected}`
  })

/** Limit of distinct sums; beyond it, any amount between the least and the greatest is accepted. */
const maxSums = 4096

/** Possible amounts in minor units, if each of several changes may have happened. */
export class Amounts {
  readonly least: number
  readonly most: number
  readonly #sums: Set<number> | null

  constructor(sure: number, maybe: readonly number[]) {
    this.least = sure + maybe.reduce((sum, change) => sum + Math.min(0, change), 0)
    this.most = sure + maybe.reduce((sum, change) => sum + Math.max(0, change), 0)
    let sums: Set<number> | null = new Set([sure])
    for (const change of maybe) {
      if (sums.size > maxSums) sums = null
      if (sums === null) break
      sums = new Set([...sums, ...[...sums].map((sum: number) => sum + change)])
    }
    this.#sums = sums
  }

  has(value: unknown): boolean {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return false
    return this.#sums?.has(value) ?? (value >= this.least && value <= this.most)
  }

  get shown(): string {
    const few = this.#sums !== null && this.#sums.size <= 8
    return few ? [...(this.#sums ?? [])].join(' or ') : `${this.least} to ${this.most}`
  }
}

/**
 * Check digit of a rail's reference: sum of the other 24 digits, each times its weight, modulo 11. The weights are 2 to
 * 9, then 1 to 9 repeatedly.
 */
function checkDigit(digits: string): number {
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (((index + 1) % 9) + 1), 0)
  return sum % 11
}

const rails = { pin: ['1', '22', '01'], sinpe_movil: ['2', '83', '00'] } as const

/** True for a service's reference of a payment over a rail, made at one of these times. */
export const isChannelReference = (channel: keyof typeof rails, times: readonly number[]) => (value: unknown) =>
  times.some((at) => text(new RegExp(`^${localDate(at)}0000${rails[channel][0]}\\d{12}$`))(value))

/** True for a rail's reference of a payment that the rail finished on the day of `from` or later. */
export const isRailReference = (channel: keyof typeof rails, from: number) => (value: unknown) => {
  const [, service, kind] = rails[channel]
  const found = typeof value === 'string' ? new RegExp(`^(\\d{8})999${service}${kind}\\d{10}$`).exec(value) : null
  if (!found || checkDigit(found[0].slice(0, 24)) !== Number(found[0][24])) return false
  return (found[1] as string) >= localDate(from)
}

/** True for an IBAN of the service's own accounts: right check digits, entity 999, then 1 for CRC or 2 for USD. */
export const isOwnIban = (currency: Currency) => (value: unknown) => {
  const digit = currency === 'CRC' ? '1' : '2'
  if (typeof value !== 'string' || !new RegExp(`^CR\\d\\d0999${digit}\\d{13}$`).test(value)) return false
  return (
    [...`${value.slice(4)}1227${value.slice(2, 4)}`].reduce((rest, next) => (rest * 10 + Number(next)) % 97, 0) === 1
  )
}

/** Matches a text that is not empty. */
export const errorText = matching('a reason', text(/^.+$/s))
