import { currencies } from '../contract/payment_names.ts'

// Payment limits of a profile as pure rules: which limit forbids a payment, and which changes loosen limits.

/** Amounts in minor units, by currency. */
export type Sums = Readonly<Record<string, number>>

/** The limits of one profile. Absent members don't limit anything. */
export interface Limits {
  /** Marks a service where real money moves. */
  readonly live?: boolean
  /** Forbids payments and all other changes. */
  readonly read_only?: boolean
  /** Maximum for one payment, for all payments of a day, and for a day's payments to one payee. */
  readonly per_payment?: Sums
  readonly per_day?: Sums
  readonly per_payee_day?: Sums
  /** In a live profile a person must type amounts above this threshold. */
  readonly confirm_above?: Sums
  /** IBANs, and phone numbers in national form, that may be paid; all other payees are forbidden. */
  readonly payees?: readonly string[]
  /** `08:00-17:00` in Costa Rica's time; the range can end on the next day. */
  readonly hours?: string
}

/** The limits of a profile, and the other runs that they apply to. */
export interface ProfileLimits extends Limits {
  readonly profile: string
  /** Base URLs: at these services, the limits apply to runs with any profile or flag. */
  readonly services: readonly string[]
  /**
   * Users that the limits apply to at these services; null for all. The limits also apply if the service does not name
   * the user.
   */
  readonly users: readonly string[] | null
}

export const summedKinds = ['per_payment', 'per_day', 'per_payee_day'] as const
type SummedKind = (typeof summedKinds)[number]

/** A payment to check against limits. */
export interface JudgedPayment {
  /** Minor units. */
  readonly amount: number
  /** Null if unknown: then the payment must fit the limits of every currency of the service. */
  readonly currency: string | null
  readonly payee: string
}

/** Sums that already count, in minor units. */
interface Used {
  day(currency: string): number
  payeeDay(currency: string): number
}

/** Reason to forbid a payment. Amounts are in minor units. */
export type Refusal =
  | { readonly kind: 'read_only' }
  | { readonly kind: 'payee'; readonly payee: string }
  | { readonly kind: 'hours'; readonly hours: string }
  /** `currency` is null if it is unknown, so that the payment may be in a currency without limits. */
  | { readonly kind: 'currency'; readonly currency: string | null; readonly limited: readonly string[] }
  | {
      readonly kind: SummedKind
      readonly currency: string
      readonly amount: number
      readonly limit: number
      readonly used: number
    }

interface Circumstances {
  readonly used: Used
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The first limit that forbids the payment; undefined if none does. */
export function refusalOf(limits: Limits, asked: JudgedPayment, { used, at }: Circumstances): Refusal | undefined {
  const { read_only, payees, hours } = limits
  if (read_only) return { kind: 'read_only' }
  if (payees && !payees.includes(asked.payee)) return { kind: 'payee', payee: asked.payee }
  if (hours !== undefined && !isOpen(minutesOf(hours), minuteOf(at))) return { kind: 'hours', hours }
  return sumRefusal(limits, asked, used)
}

function sumRefusal(limits: Limits, { amount, currency }: JudgedPayment, used: Used): Refusal | undefined {
  const limited = limitedCurrencies(limits)
  if (limited.length === 0) return undefined
  const possible = currency === null ? currencies : [currency]
  if (possible.some((one) => !limited.includes(one))) return { kind: 'currency', currency, limited }
  for (const one of possible) {
    for (const kind of summedKinds) {
      const limit = limits[kind]?.[one]
      if (limit === undefined) continue
      const before = kind === 'per_payment' ? 0 : kind === 'per_day' ? used.day(one) : used.payeeDay(one)
      if (before + amount > limit) return { kind, currency: one, amount, limit, used: before }
    }
  }
  return undefined
}

/** Currencies named by any limit. If any limit names a currency, payments in other currencies are forbidden. */
export const limitedCurrencies = (limits: Limits): readonly string[] => [
  ...new Set(summedKinds.flatMap((kind) => Object.keys(limits[kind] ?? {}))),
]

/**
 * True if a person must type the amount before the payment is sent. If only other currencies have a threshold, the
 * threshold of this currency is 0.
 */
export function needsTyping(
  { live, confirm_above }: Limits,
  { amount, currency }: Omit<JudgedPayment, 'payee'>,
): boolean {
  if (!live || Object.keys(confirm_above ?? {}).length === 0) return false
  const possible = currency === null ? currencies : [currency]
  return possible.some((one) => amount > (confirm_above?.[one] ?? 0))
}

const hour = 3_600_000

/** The calendar day in Costa Rica, which is six hours behind UTC all year. */
export const dayOf = (at: number): string => new Date(at - 6 * hour).toISOString().slice(0, 10)

/** Start of the next day in Costa Rica, in milliseconds since 1970. */
export const nextDay = (at: number): number => Date.parse(`${dayOf(at)}T06:00:00Z`) + 24 * hour

const minuteOf = (at: number): number => {
  const there = new Date(at - 6 * hour)
  return there.getUTCHours() * 60 + there.getUTCMinutes()
}

type Minutes = readonly [from: number, until: number]

/** Start and end of a range of hours, in minutes after midnight; null if the text is not a range of hours. */
export function parseHours(text: string): Minutes | null {
  const [, from, begin, until, end] = /^(\d\d):([0-5]\d)-(\d\d):([0-5]\d)$/.exec(text) ?? []
  const [opens, closes] = [Number(from) * 60 + Number(begin), Number(until) * 60 + Number(end)]
  return opens < 24 * 60 && closes <= 24 * 60 && opens !== closes ? [opens, closes] : null
}

/** Treats an invalid range as always closed. */
const minutesOf = (hours: string): Minutes => parseHours(hours) ?? [0, 0]

const isOpen = ([from, until]: Minutes, minute: number): boolean =>
  from <= until ? minute >= from && minute < until : minute >= from || minute < until

/** True if `after` allows anything that `before` forbids, or allows it with less confirmation. */
export function isLooser(before: ProfileLimits | undefined, after: ProfileLimits | undefined): boolean {
  if (before === undefined) return false
  if (after === undefined) return true
  return (
    (before.live === true && after.live !== true) ||
    (before.read_only === true && after.read_only !== true) ||
    before.services.some((service) => !after.services.includes(service)) ||
    areFewer(before.users, after.users) ||
    areMore(before.payees, after.payees) ||
    areLonger(before.hours, after.hours) ||
    areLooserSums(before, after) ||
    isConfirmedLess(before.confirm_above, after.confirm_above)
  )
}

type Names = readonly string[]

const areFewer = (before: Names | null, after: Names | null): boolean =>
  after !== null && (before === null || before.some((user) => !after.includes(user)))

const areMore = (before: Names | undefined, after: Names | undefined): boolean =>
  before !== undefined && (after === undefined || after.some((payee) => !before.includes(payee)))

function areLonger(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined) return false
  if (after === undefined) return true
  const [old, now] = [minutesOf(before), minutesOf(after)]
  return Array.from({ length: 24 * 60 }, (_, minute) => minute).some(
    (minute) => isOpen(now, minute) && !isOpen(old, minute),
  )
}

/**
 * Once a limit names a currency, payments in other currencies are forbidden, so a limit for one more currency loosens
 * the limits.
 */
function areLooserSums(before: Limits, after: Limits): boolean {
  const [old, now] = [limitedCurrencies(before), limitedCurrencies(after)]
  if (old.length === 0) return false
  if (now.length === 0 || now.some((currency) => !old.includes(currency))) return true
  const limitIn = (limits: Limits, kind: SummedKind, currency: string) =>
    limits[kind]?.[currency] ?? Number.POSITIVE_INFINITY
  return summedKinds.some((kind) =>
    now.some((currency) => limitIn(after, kind, currency) > limitIn(before, kind, currency)),
  )
}

function isConfirmedLess(before: Sums = {}, after: Sums = {}): boolean {
  if (Object.keys(before).length === 0) return false
  if (Object.keys(after).length === 0) return true
  return Object.keys({ ...before, ...after }).some((currency) => (after[currency] ?? 0) > (before[currency] ?? 0))
}
