import { originalOf } from '../client/decode.ts'
import { normalizeIban } from '../contract/iban.ts'
import type { InitiatedPayment, Payment } from '../contract/index.ts'
import { formatMoney } from '../contract/money.ts'
import { nationalPhone, normalizePhone } from '../contract/phone.ts'
import { OutcomeUnknownError } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'

/** Whether a payment is the one that the intent asked for, and has an id to know it by. */
export const isPaymentOf = (intent: Intent, payment: Payment): boolean =>
  isNamed(payment) && differenceFrom(intent, payment) === undefined

/** Throws OutcomeUnknownError: only an answer that names the payment asked for says that it was made. */
export function requirePaymentOf(intent: Intent, payment: InitiatedPayment | Payment): void {
  if (!isNamed(payment)) throw new OutcomeUnknownError(undefined, 'the answer names no payment', originalOf(payment))
  const difference = differenceFrom(intent, payment)
  if (difference === undefined) return
  const reason = `the service answered with another payment, ${payment.id}: ${difference}`
  throw new OutcomeUnknownError(undefined, reason, originalOf(payment))
}

/** Judged as the service sent it, before anything was mended. */
function isNamed(payment: InitiatedPayment | Payment): boolean {
  const original = originalOf(payment)
  return isMembers(original) && typeof original.id === 'string' && original.id !== ''
}

/**
 * In what a payment that the service names differs from the one that was asked for, if in anything: a key that was used
 * before answers with the payment it made then, whatever is asked for now. What an answer does not tell is no
 * difference, and nothing of it is taken on trust.
 */
function differenceFrom({ idempotency_key, body }: Intent, payment: object): string | undefined {
  const told = flat(originalOf(payment))
  const facts: readonly Fact[] = [
    { name: 'idempotency key', asked: idempotency_key, told: told.idempotency_key },
    { name: 'amount', asked: body.amount, told: told.amount, show: (minor) => formatMoney(Number(minor), '').trim() },
    { name: 'account', asked: body.source_account_id, told: told.source_account_id, same: lowerCase },
    { name: 'IBAN', asked: body.recipient_iban, told: told.iban, same: normalizeIban },
    {
      name: 'phone',
      asked: body.recipient_phone,
      told: told.phone,
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
  if (asked === undefined || asked === null || typeof told !== typeof asked || told === '') return false
  return same(String(told)) !== same(String(asked))
}

const lowerCase = (text: string): string => text.toLowerCase()

/** The members of an initiated payment, or of one of the history, by one name each. */
function flat(payment: unknown) {
  const { idempotency_key, source_account_id, amount, payee, recipient_iban, recipient_phone } = isMembers(payment)
    ? payment
    : {}
  return {
    idempotency_key,
    source_account_id,
    amount: memberOf(amount, 'value'),
    iban: recipient_iban ?? memberOf(payee, 'iban'),
    phone: recipient_phone ?? memberOf(payee, 'phone_number'),
  }
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

const memberOf = (value: unknown, name: string): unknown => (isMembers(value) ? value[name] : undefined)

/** A payment that was read back, in the form in which the service answers the request that made it. */
export const asInitiated = (payment: Payment, { body }: Intent): InitiatedPayment => ({
  id: payment.id,
  channel: payment.channel,
  status: payment.status,
  channel_reference: payment.channel_reference,
  idempotency_key: payment.idempotency_key,
  source_account_id: body.source_account_id,
  recipient_iban: body.recipient_iban ?? null,
  recipient_phone: body.recipient_phone ?? null,
  amount: payment.amount,
  description: payment.description ?? '',
})
