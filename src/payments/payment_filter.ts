import type { Money, Payment } from '../client/received.ts'
import { normalizeIban } from '../contract/iban.ts'
import { nationalPhone, normalizePhone } from '../contract/phone.ts'
import { plainLetters } from '../values/text.ts'

/** From `since` (inclusive) to `until` (exclusive), in milliseconds since 1970. */
export interface Period {
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** One side of a payment: a whole IBAN or phone, or part of the holder's name. */
export type Party =
  | { readonly kind: 'iban'; readonly iban: string }
  | { readonly kind: 'phone'; readonly phone: string }
  | { readonly kind: 'name'; readonly name: string }

/**
 * Range of amounts in minor units, both ends included; without a currency, the range applies to amounts in every
 * currency.
 */
export interface AmountRange {
  readonly from: number
  readonly to: number
  readonly currency?: string | undefined
}

/** Conditions for payments. Absent conditions match all payments. */
export interface PaymentFilter {
  readonly statuses?: readonly string[] | undefined
  readonly payee?: Party | undefined
  readonly payer?: Party | undefined
  readonly amount?: AmountRange | undefined
  readonly currency?: string | undefined
}

/**
 * IBAN of the user's account that a payment debits or credits. Undefined if the service names only the phone, as for
 * SINPE Móvil payments that came in.
 */
export function accountIn({ transfer_type, payer, payee }: Payment): string | undefined {
  const { iban } = transfer_type === 'credit' ? payee : payer
  return iban ? normalizeIban(iban) : undefined
}

/** Predicate for payments. */
export function fitting({ statuses, payee, payer, amount, currency }: PaymentFilter): (payment: Payment) => boolean {
  const isPayee = payee && matching(payee)
  const isPayer = payer && matching(payer)
  return (payment) =>
    (statuses === undefined || statuses.includes(payment.status ?? '')) &&
    (currency === undefined || payment.amount.currency === currency) &&
    (amount === undefined || isIn(amount, payment.amount)) &&
    (isPayee === undefined || isPayee(payment.payee)) &&
    (isPayer === undefined || isPayer(payment.payer))
}

const isIn = ({ from, to, currency }: AmountRange, { value, currency: its }: Money): boolean =>
  typeof value === 'number' && value >= from && value <= to && (currency === undefined || currency === its)

type Side = Payment['payee'] | Payment['payer']

/** Predicate for one side of a payment. */
export function matching(party: Party): (side: Side) => boolean {
  if (party.kind === 'iban') return ({ iban }) => normalizeIban(iban ?? '') === party.iban
  if (party.kind === 'phone') {
    const phoneOf = (side: Side) => ('phone_number' in side ? (side.phone_number ?? '') : '')
    return (side) => nationalPhone(normalizePhone(phoneOf(side))) === party.phone
  }
  const isNamed = containing(party.name)
  return ({ name }) => isNamed(name ?? '')
}

/** Predicate for texts that contain every word, in any order, ignoring case and accents. */
export function containing(words: string): (text: string) => boolean {
  const parts = plainWords(words).split(' ')
  return (text) => {
    const plain = plainWords(text)
    return parts.every((part) => plain.includes(part))
  }
}

const plainWords = (text: string): string => plainLetters(text).replace(/\s+/g, ' ').trim()

/** Milliseconds since 1970; NaN for a payment without a time. */
export const createdAt = ({ created_at }: Payment): number => Date.parse(created_at ?? '')
