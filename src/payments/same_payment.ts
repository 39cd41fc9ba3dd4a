import { originalOf } from '../client/decode.ts'
import type { InitiatedPayment, Named, Payment } from '../client/received.ts'
import { normalizeIban } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { nationalPhone, normalizePhone } from '../contract/phone.ts'
import { ContractError, OutcomeUnknownError } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'

// Whether a payment that the service names is the one that an intent asked for.

/** Whether a payment is the one that the intent asked for, and has an id to know it by. */
export const isPaymentOf = (intent: Intent, payment: Payment): payment is Named<Payment> =>
  whyNotPaymentOf(intent, payment) === undefined

/** Throws OutcomeUnknownError: only an answer that names the payment asked for says that it was made. */
export function requirePaymentOf<P extends InitiatedPayment | Payment>(
  intent: Intent,
  payment: P,
): asserts payment is Named<P> {
  const reason = whyNotPaymentOf(intent, payment)
  if (reason !== undefined) throw new OutcomeUnknownError(undefined, reason, originalOf(payment))
}

/** Why a payment is not known to be the one that the intent asked for; undefined if it is. */
export function whyNotPaymentOf(intent: Intent, payment: InitiatedPayment | Payment): string | undefined {
  if (!isNamed(payment)) return 'the answer names no payment'
  const difference = differenceFrom(intent, payment)
  return difference && `the service answered with another payment, ${payment.id}: ${difference}`
}

/** Judged as the service sent it, before it was decoded. */
function isNamed<P extends InitiatedPayment | Payment>(payment: P): payment is Named<P> {
  const original = originalOf(payment)
  return isMembers(original) && typeof original.id === 'string' && original.id !== ''
}

/**
 * Throws ContractError where what is told of an intent's payment is of another one: then nothing of it is news of the
 * intent's.
 */
export function requireFactsOf(intent: Intent, payment: object): void {
  const difference = differenceFrom(intent, payment)
  if (difference !== undefined) throw new ContractError(`The service answered with another payment: ${difference}.`)
}

/** A key whatever its case; empty where there is none that can be read. */
export const plainKey = (key: string | null | undefined): string => lowerCase(key ?? '').trim()

/** Whether an item of a list that has no key that can be read may be the intent's payment: no other fact is against it. */
export const mayBePaymentOf = (intent: Intent, payment: Payment): boolean =>
  payment.transfer_type !== 'credit' && differenceFrom(intent, payment) === undefined

/**
 * In what a payment that the service names differs from the one that was asked for, if in anything: a key that was used
 * before answers with the payment it made then, whatever is asked for now. What an answer does not tell is no
 * difference, and nothing of it is taken on trust. Judged as the service sent it: a value of another type is shown, and
 * may be another value.
 */
export function differenceFrom({ idempotency_key, body, currency }: Intent, payment: object): string | undefined {
  const told = flat(originalOf(payment))
  const { recipient_iban: iban, recipient_phone: phone } = body
  const facts: readonly Fact[] = [
    { name: 'idempotency key', asked: idempotency_key, told: told.idempotency_key },
    { name: 'amount', asked: body.amount, told: told.amount, same: asNumber, show: amountOf },
    { name: 'currency', asked: currency, told: told.currency },
    { name: 'account', asked: body.source_account_id, told: told.source_account_id, same: lowerCase },
    // Of who is paid over one rail the service may tell the other's address too, but not alone.
    {
      name: 'IBAN',
      asked: iban,
      told: isTold(told.iban) || iban == null ? told.iban : told.phone,
      same: normalizeIban,
    },
    {
      name: 'phone',
      asked: phone,
      told: isTold(told.phone) || phone == null ? told.phone : told.iban,
      same: (text) => nationalPhone(normalizePhone(text)),
    },
  ]
  const other = facts.find(isOther)
  if (!other) return undefined
  const { name, asked, told: found, show = String } = other
  return `its ${name} is ${show(found)}, not ${show(asked)}`
}

interface Fact {
  readonly name: string
  readonly asked: string | number | null | undefined
  readonly told: unknown
  /** What is left of a text when its notation does not matter. */
  readonly same?: (text: string) => string
  readonly show?: (value: unknown) => string
}

function isOther({ asked, told, same = String }: Fact): boolean {
  return isTold(asked) && isTold(told) && same(String(told)) !== same(String(asked))
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

const isTold = (value: unknown): boolean => isScalar(value) && value !== ''

const lowerCase = (text: string): string => text.toLowerCase()

const asNumber = (text: string): string => String(Number(text))

const amountOf = (minor: unknown): string =>
  Number.isSafeInteger(Number(minor)) ? formatMoney(Number(minor), '').trim() : `${minor} in minor units`

/** The members of an initiated payment, or of one of the history, by one name each. */
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
