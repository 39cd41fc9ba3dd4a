import type { InitiatedPayment, Named } from '../client/received.ts'
import type { ApiError } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'

/**
 * Result of a payment request.
 *
 * - `accepted`: the service has the payment, from this request or an earlier request, and pays it unless its status
 *   shows a failure
 * - `refused`: no money moved, and none will; sending the payment again makes another payment
 * - `not_sent`: no request was sent, or the service refused the token or the rate of requests; the payment can be
 *   resumed unchanged
 * - `unknown`: money may have moved, or a resumption would send the payment; another payment could pay twice, so resume
 *   this one
 */
export type PaymentOutcome = { readonly intentId: string } & (
  | { readonly outcome: 'accepted'; readonly payment: Named<InitiatedPayment> }
  | { readonly outcome: 'refused'; readonly error: ApiError }
  | { readonly outcome: 'not_sent' | 'unknown'; readonly error: unknown }
)

export const accepted = ({ id: intentId }: Intent, payment: Named<InitiatedPayment>): PaymentOutcome => ({
  outcome: 'accepted',
  intentId,
  payment,
})

export const refused = ({ id: intentId }: Intent, error: ApiError): PaymentOutcome => ({
  outcome: 'refused',
  intentId,
  error,
})

export const notSent = ({ id: intentId }: Intent, error: unknown): PaymentOutcome => ({
  outcome: 'not_sent',
  intentId,
  error,
})
