import type { PaidTwice } from '../../src/contract/index.ts'
import { defaultDescriptions } from '../domain/initiate.ts'
import type { Payment } from '../domain/payment.ts'
import type { LoggedRequest } from './request_log.ts'

/**
 * Maximum time between two payments that count as one order paid twice, in milliseconds of the world's time. A job that
 * runs again some hours later pays the same order; the next day's job may pay another.
 */
const orderWindow = 12 * 3_600_000

/** Maximum time between payments of one order whose descriptions differ, in milliseconds of the world's time. */
const suspicionWindow = 10 * 60_000

/** Difference that rounding may make between amounts of one order, in minor units; the limit is exclusive. */
export const roundingLimit = 100

/** Endpoint that makes payments. */
export const create = 'payments.create'

/** A payment, and the request that created it. */
export interface CreatedPayment {
  readonly payment: Payment
  readonly request: LoggedRequest
}

/** Two payments of one order with different keys. */
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

/** True if the request was carried out; a request whose connection was reset was not. */
export const isDone = ({ status }: Pick<LoggedRequest, 'status'>): boolean => status !== null && status < 300

/** True if two payments are of one order. Amounts may differ by rounding if the descriptions match. */
export function isSameOrder(first: Payment, second: Payment): boolean {
  const purpose = purposeOf(second)
  const limit = purpose === null ? 1 : roundingLimit
  return purposeOf(first) === purpose && isAlike(first, second, { limit, window: orderWindow })
}

/** True if two payments differ in their descriptions alone, so that they may be of one order. */
export function mayBeSameOrder(first: Payment, second: Payment): boolean {
  const [one, other] = [purposeOf(first), purposeOf(second)]
  return (
    one !== null && other !== null && one !== other && isAlike(first, second, { limit: 1, window: suspicionWindow })
  )
}

interface Closeness {
  /** Limit of the difference of the amounts, in minor units; exclusive. */
  readonly limit: number
  /** Maximum time between the payments, in milliseconds of the world's time. */
  readonly window: number
}

/** Compares payments across rails, because an order pays a person. */
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

/** The payer's own description of a payment; null: none. */
const purposeOf = ({ description, channel }: Payment): string | null =>
  description === defaultDescriptions[channel] ? null : description
