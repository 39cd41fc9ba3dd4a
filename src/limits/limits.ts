// What a profile may pay, as pure rules: what forbids a payment, and whether a change of limits loosens them.

/** Minor units by currency. */
export type Sums = Readonly<Record<string, number>>

/** The limits of one profile. What is not given does not limit. */
export interface Limits {
  /** A service where real money moves. */
  readonly live?: boolean
  /** No payment and no other change. */
  readonly read_only?: boolean
  /** Most for one payment, for all payments of a day, for those of a day to one payee. */
  readonly per_payment?: Sums
  readonly per_day?: Sums
  readonly per_payee_day?: Sums
  /** Above it a person types the amount, where the profile is live. */
  readonly confirm_above?: Sums
  /** IBANs and national phones that may be paid; no others. */
  readonly payees?: readonly string[]
  /** `08:00-17:00`, in Costa Rica; the second may be on the next day. */
  readonly hours?: string
}

/** The limits of a profile, and for which runs besides its own they hold. */
export interface ProfileLimits extends Limits {
  readonly profile: string
  /** Base URLs: whoever pays there, by whatever profile or flag, is held to them. */
  readonly services: readonly string[]
  /** Users for whom they hold there; null for all. A user whom the service does not name may be one of them. */
  readonly users: readonly string[] | null
}

export const summedKinds = ['per_payment', 'per_day', 'per_payee_day'] as const
type SummedKind = (typeof summedKinds)[number]

/** A payment to judge. */
export interface Asked {
  /** Minor units. */
  readonly amount: number
  /** Null where it could not be read: then it must fit each currency. */
  readonly currency: string | null
  readonly payee: string
}

/** What counts already, in minor units. */
interface Used {
  day(currency: string): number
  payeeDay(currency: string): number
}

/** What forbids a payment. Amounts in minor units. */
export type Refusal =
  | { readonly kind: 'read_only' }
  | { readonly kind: 'payee'; readonly payee: string }
  | { readonly kind: 'hours'; readonly hours: string }
  | { readonly kind: 'currency'; readonly currency: string; readonly limited: readonly string[] }
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

/** Why the limits forbid a payment, if they do. */
export function refusalOf(limits: Limits, asked: Asked, { used, at }: Circumstances): Refusal | undefined {
  const { read_only, payees, hours } = limits
  if (read_only) return { kind: 'read_only' }
  if (payees && !payees.includes(asked.payee)) return { kind: 'payee', payee: asked.payee }
  if (hours !== undefined && !isOpen(minutesOf(hours), minuteOf(at))) return { kind: 'hours', hours }
  return sumRefusal(limits, asked, used)
}

function sumRefusal(limits: Limits, { amount, currency }: Asked, used: Used): Refusal | undefined {
  const limited = limitedCurrencies(limits)
  if (limited.length === 0) return undefined
  if (currency !== null && !limited.includes(currency)) return { kind: 'currency', currency, limited }
  for (const one of currency === null ? limited : [currency]) {
    for (const kind of summedKinds) {
      const limit = limits[kind]?.[one]
      if (limit === undefined) continue
      const before = kind === 'per_payment' ? 0 : kind === 'per_day' ? used.day(one) : used.payeeDay(one)
      if (before + amount > limit) return { kind, currency: one, amount, limit, used: before }
    }
  }
  return undefined
}

/** Currencies that may be paid in, where any limit names one. */
export const limitedCurrencies = (limits: Limits): readonly string[] => [
  ...new Set(summedKinds.flatMap((kind) => Object.keys(limits[kind] ?? {}))),
]

/** Whether a person is to type the amount before it leaves. In a currency that is not named that is every amount. */
export function needsTyping({ live, confirm_above }: Limits, { amount, currency }: Omit<Asked, 'payee'>): boolean {
  const above = Object.entries(confirm_above ?? {})
  if (!live || above.length === 0) return false
  if (currency === null) return above.some(([, limit]) => amount > limit)
  const limit = above.find(([named]) => named === currency)?.[1] ?? 0
  return amount > limit
}

const hour = 3_600_000

/** The calendar day in Costa Rica, which is six hours behind UTC all year. */
export const dayOf = (at: number): string => new Date(at - 6 * hour).toISOString().slice(0, 10)

/** When the next day begins there, in milliseconds. */
export const nextDay = (at: number): number => Date.parse(`${dayOf(at)}T06:00:00Z`) + 24 * hour

const minuteOf = (at: number): number => {
  const there = new Date(at - 6 * hour)
  return there.getUTCHours() * 60 + there.getUTCMinutes()
}

type Minutes = readonly [from: number, until: number]

/** Minutes of the day from which and until which it is open; null for a text that does not say that. */
export function parseHours(text: string): Minutes | null {
  const [, from, begin, until, end] = /^(\d\d):([0-5]\d)-(\d\d):([0-5]\d)$/.exec(text) ?? []
  const [opens, closes] = [Number(from) * 60 + Number(begin), Number(until) * 60 + Number(end)]
  return opens < 24 * 60 && closes <= 24 * 60 && opens !== closes ? [opens, closes] : null
}

/** What can't be read is never open. */
const minutesOf = (hours: string): Minutes => parseHours(hours) ?? [0, 0]

const isOpen = ([from, until]: Minutes, minute: number): boolean =>
  from <= until ? minute >= from && minute < until : minute >= from || minute < until

/** Whether `after` allows anything that `before` does not. */
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

/** Once a limit names a currency, others can't be paid in: one more currency is looser. */
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
