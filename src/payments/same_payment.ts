import { originalOf } from '../client/decode.ts'
import type { InitiatedPayment, Named, Payment } from '../client/received.ts'
import { normalizeIban } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { nationalPhone, normalizePhone } from '../contract/phone.ts'
import { ContractError, OutcomeUnknownError } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'

// Compares a payment in an answer with the payment that an intent requested.

/** True if the intent requested this payment, and the payment has an id. */
export const isPaymentOf = (intent: Intent, payment: Payment): payment is Named<Payment> =>
  whyNotPaymentOf(intent, payment) === undefined

/**
 * Throws OutcomeUnknownError for any other payment: only an answer with the requested payment proves that it was made.
 */
export function requirePaymentOf<P extends InitiatedPayment | Payment>(
  intent: Intent,
  payment: P,
): asserts payment is Named<P> {
  const reason = whyNotPaymentOf(intent, payment)
  if (reason !== undefined) throw new OutcomeUnknownError(undefined, reason, originalOf(payment))
}

/** Reason to doubt that a payment is the requested payment; undefined if it is the requested payment. */
export function whyNotPaymentOf(intent: Intent, payment: InitiatedPayment | Payment): string | undefined {
  if (!isNamed(payment)) return 'the answer names no payment'
  const difference = differenceFrom(intent, payment)
  return difference && `the service answered with another payment, ${payment.id}: ${difference}`
}

/** Checks the service's original value, before decoding. */
function isNamed<P extends InitiatedPayment | Payment>(payment: P): payment is Named<P> {
  const original = originalOf(payment)
  return isMembers(original) && typeof original.id === 'string' && original.id !== ''
}

/** Throws ContractError if the answer describes another payment. */
export function requireFactsOf(intent: Intent, payment: object): void {
  const difference = differenceFrom(intent, payment)
  if (difference !== undefined) throw new ContractError(`The service answered with another payment: ${difference}.`)
}

/** The key in lower case; empty if it is missing or unreadable. */
export const plainKey = (key: string | null | undefined): string => lowerCase(key ?? '').trim()

/**
 * True if a list item without a readable key, or with the key in another spelling, may be the intent's payment: no other
 * fact contradicts it.
 */
export const mayBePaymentOf = (intent: Intent, payment: Payment): boolean =>
  payment.transfer_type !== 'credit' && differenceFrom({ ...intent, idempotency_key: '' }, payment) === undefined

/**
 * The difference between the payment in an answer and the requested payment, if any: a service answers a reused key
 * with the key's first payment, whatever the new request. Members missing from the answer count as no difference.
 * Compares the service's original values, because output shows them even if they have the wrong type.
 */
export function differenceFrom({ idempotency_key, body, currency }: Intent, payment: object): string | undefined {
  const answered = flat(originalOf(payment))
  const { recipient_iban: iban, recipient_phone: phone } = body
  const facts: readonly Fact[] = [
    { name: 'idempotency key', requested: idempotency_key, answered: answered.idempotency_key },
    {
      name: 'amount',
      requested: body.amount,
      answered: answered.amount,
      same: (text) => String(Number(text)),
      show: amountOf,
    },
    { name: 'currency', requested: currency, answered: answered.currency },
    { name: 'account', requested: body.source_account_id, answered: answered.source_account_id, same: lowerCase },
    // The service may also return the payee's address for the other rail, but not that address alone.
    {
      name: 'IBAN',
      requested: iban,
      answered: isAnswered(answered.iban) || iban == null ? answered.iban : answered.phone,
      same: normalizeIban,
    },
    {
      name: 'phone',
      requested: phone,
      answered: isAnswered(answered.phone) || phone == null ? answered.phone : answered.iban,
      same: (text) => nationalPhone(normalizePhone(text)),
    },
  ]
  const other = facts.find(isOther)
  if (!other) return undefined
  const { name, requested, answered: found, show = String } = other
  return `its ${name} is ${show(found)}, not ${show(requested)}`
}

interface Fact {
  readonly name: string
  readonly requested: string | number | null | undefined
  readonly answered: unknown
  /** Normalizes notation for comparison. */
  readonly same?: (text: string) => string
  readonly show?: (value: unknown) => string
}

function isOther({ requested, answered, same = String }: Fact): boolean {
  return isAnswered(requested) && isAnswered(answered) && same(String(answered)) !== same(String(requested))
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

const isAnswered = (value: unknown): boolean => isScalar(value) && value !== ''

const lowerCase = (text: string): string => text.toLowerCase()

const amountOf = (minor: unknown): string =>
  Number.isSafeInteger(Number(minor)) ? formatMoney(Number(minor), '').trim() : `${minor} in minor units`

/** Members of an initiated payment, or of a payment in the history, under common names. */
function flat(payment: unknown) {
  const { idempotency_key, source_account_id, amount, payee, recipient_iban, recipient_phone } = isMembers(payment)
    ? payment
    : {}
  return {
    idempotency_key,
    source_account_id,
    amount: memberOf(amount, 'value'),
    currency: memberOf(amount, 'currency'),
    iban: recipient_iban ?? memberOf(payee, 'iban'),
    phone: recipient_phone ?? memberOf(payee, 'phone_number'),
  }
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

const memberOf = (value: unknown, name: string): unknown => (isMembers(value) ? value[name] : undefined)
