import { endedUnpaid, isUnderWay } from '../contract/payment_names.ts'
import { say, type Text } from '../words/text.ts'

// Outcome for the money of a payment that has not arrived.

/**
 * - `nothing_taken`: no account was debited
 * - `back`: the money was held for the payment, and can be spent again
 * - `not_missing`: `nothing_taken` or `back`, but it is not known which
 * - `held`: the money is held for the payment, and is not in the balance
 * - `not_known`: neither the service nor its interface says which of these is true
 */
export type MoneyOutcome = (typeof moneyOutcomes)[number]

export const moneyOutcomes = ['nothing_taken', 'back', 'not_missing', 'held', 'not_known'] as const

interface PaymentFacts {
  readonly status?: string | null | undefined
  readonly transfer_type?: string | null | undefined
  /** ISO time at which the payment was submitted to its rail; undefined if the answer does not say. */
  readonly submitted_at?: string | null | undefined
}

/**
 * Outcome for the money of a payment; null if the money has arrived, or if the user receives it. The interface does not
 * say when a service takes or returns money. The emulator holds the money until the payment ends, and then returns it
 * unless the payment completed.
 */
export function moneyOutcome(payment: PaymentFacts, isEmulator: boolean): MoneyOutcome | null {
  const { status, transfer_type, submitted_at } = payment
  if (status === 'completed' || transfer_type === 'credit') return null
  if (!isEmulator) return 'not_known'
  if (isUnderWay(status)) return 'held'
  if (!endedUnpaid(status)) return 'not_known'
  if (submitted_at === undefined) return 'not_missing'
  return submitted_at === null ? 'nothing_taken' : 'back'
}

/** The outcome as text, with the account that pays. */
export function moneyWords(outcome: MoneyOutcome, iban?: string | null): Text {
  const short = iban ? `${iban.slice(0, 4)} ... ${iban.slice(-4)}` : undefined
  switch (outcome) {
    case 'nothing_taken':
      return say`nothing was taken`
    case 'back':
      return short === undefined ? say`the money is back` : say`the money is back in ${short}`
    case 'not_missing':
      return say`nothing was taken, or the money is back`
    case 'held':
      return short === undefined ? say`still held` : say`still held in ${short}`
    case 'not_known':
      return iban
        ? say`it is not known whether money was taken: see the balance of ${iban}`
        : say`it is not known whether money was taken: see the balance`
  }
}

/** The outcome as text, for a line below a row of a list; undefined if the outcome is not known. */
export const knownMoney = (outcome: MoneyOutcome | null, iban?: string | null): Text | undefined =>
  outcome === null || outcome === 'not_known' ? undefined : moneyWords(outcome, iban)
