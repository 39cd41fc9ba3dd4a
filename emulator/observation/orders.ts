import type { PaidTwice } from '../../src/contract/index.ts'
import { defaultDescriptions } from '../domain/initiate.ts'
import type { Payment } from '../domain/payment.ts'
import type { LoggedRequest } from './request_log.ts'

/**
 * Maximum time between two payments that are regarded as one order paid twice, in milliseconds of the world's time. A
 * job that runs again a few hours later probably pays the same order; the next day's job may pay another order.
 */
const orderWindow = 12 * 3_600_000

/** Maximum time between payments of one order whose descriptions differ, in milliseconds of the world's time. */
const suspicionWindow = 10 * 60_000

/**
 * Upper limit, exclusive, of the difference between amounts of one order that differ only by rounding, in minor units.
 */
export const roundingLimit = 100

/** Id of the endpoint that makes payments. */
export const create = 'payments.create'

/** A payment, and the request that created it. */
export interface CreatedPayment {
  readonly payment: Payment
  readonly request: LoggedRequest
}

/** Two payments of one order that have different keys. */
export interface Pair {
  readonly because: PaidTwice['because']
  /** The second payment. */
  readonly payment: Payment
  readonly payments: readonly [string, string]
  readonly requests: readonly [number, number]
}

export const pairOf = (because: Pair['because'], first: CreatedPayment, second: CreatedPayment): Pair => ({
  because,
  payment: second.payment,
  payments: [first.payment.id, second.payment.id],
  requests: [first.request.number, second.request.number],
})

/** True if the request was carried out. A request whose connection was reset has no status, and was not carried out. */
export const isDone = ({ status }: Pick<LoggedRequest, 'status'>): boolean => status !== null && status < 300

/**
 * True if two payments belong to one order. Amounts may differ by rounding if the payer gave both payments the same
 * description.
 */
export function isSameOrder(first: Payment, second: Payment): boolean {
  const purpose = purposeOf(second)
  const limit = purpose === null ? 1 : roundingLimit
  return purposeOf(first) === purpose && isAlike(first, second, { limit, window: orderWindow })
}

/** True if two payments differ only in the descriptions that the payer wrote: they may then belong to one order. */
export function mayBeSameOrder(first: Payment, second: Payment): boolean {
  const [one, other] = [purposeOf(first), purposeOf(second)]
  return (
    one !== null && other !== null && one !== other && isAlike(first, second, { limit: 1, window: suspicionWindow })
  )
}

interface Closeness {
  /** Limit of the difference between the amounts, in minor units; exclusive. */
  readonly limit: number
  /** Maximum time between the payments, in milliseconds of the world's time. */
  readonly window: number
}

/** Compares payments across rails, because one order pays one person, whatever the rail. */
function isAlike(first: Payment, second: Payment, { limit, window }: Closeness): boolean {
  const { user, account, amount, currency, payee } = second
  const isSameAddress = first.payee.iban === payee.iban && first.payee.phone === payee.phone
  const isOtherRail = first.channel !== second.channel && first.payee.document_number === payee.document_number
  return (
    first.user === user &&
    first.account === account &&
    Math.abs(first.amount - amount) < limit &&
    first.currency === currency &&
    (isSameAddress || isOtherRail) &&
    Math.abs(second.created_at - first.created_at) <= window
  )
}

/** The description that the payer wrote for a payment; null if there is none. */
const purposeOf = ({ description, channel }: Payment): string | null =>
  description === defaultDescriptions[channel] ? null : description
