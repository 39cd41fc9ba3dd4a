import type { Client } from '../../client/client.ts'
import type { InitiatedPayment, Money, Payment, PaymentValidation } from '../../client/received.ts'
import { worldHeader } from '../../contract/headers.ts'
import { formatAddress } from '../../contract/iban.ts'
import { decimal, moneyText } from '../../contract/money.ts'
import { endedUnpaid, hasEnded, isUnderWay } from '../../contract/payment_names.ts'
import { amountWidth, clock, field, iban, id, mark, money, status, time, words } from '../../output/columns.ts'
import type { Card, Column, Layout, Mark } from '../../output/output.ts'
import { clockTime, dayOf, localTime, zonedTime } from '../../run/time.ts'
import { knownMoney, type MoneyOutcome, moneyOutcome, moneyWords } from '../../values/money_outcome.ts'
import { foreign, type Said, say, type Text } from '../../words/text.ts'

const paymentId = id<Payment>('id', (payment) => payment.id)
const createdAt = time<Payment>('created_at', (payment) => payment.created_at)
const channel: Column<Payment> = { ...field('channel', (payment) => payment.channel), width: 'sinpe_movil'.length }
const transferType = field<Payment>('transfer_type', (payment) => payment.transfer_type)
const state = status<Payment>('status', (payment) => payment.status)
const amount: Column<Payment> = {
  ...money('amount', (payment) => payment.amount),
  meaning: 'Amount of the payment',
}
const description = words<Payment>('description', (payment) => payment.description)
const fee = money<Payment>('fee', (payment) => payment.fee)
const reference: Column<Payment> = {
  ...field('reference', (payment) => payment.sinpe_reference),
  meaning: 'The rail’s reference: 25 digits',
  width: 25,
  uncut: true,
}

/**
 * Amount: negative for money that goes out; empty for a payment that ended without paying. The sum of this column is
 * the money that moved or is on its way, without fees.
 */
const movedAmount: Column<Payment> = {
  ...money('signed_amount', (payment) => payment.amount),
  meaning: 'Amount of the payment: negative for outgoing money, empty if the payment ended without paying',
  data: (payment) => {
    if (endedUnpaid(payment.status)) return null
    const { value } = payment.amount
    return decimal(typeof value === 'number' && !isIncoming(payment) ? -value : value)
  },
  text: (payment) => (endedUnpaid(payment.status) ? '' : signed(payment, moneyText(payment.amount))),
}

/** Everything the service returns about a payment, and the signed amount. */
export const paymentColumns: readonly Column<Payment>[] = [
  paymentId,
  createdAt,
  channel,
  transferType,
  state,
  amount,
  field('currency', (payment) => payment.amount.currency),
  fee,
  words('payer_name', ({ payer }) => payer.name),
  iban('payer_iban', ({ payer }) => payer.iban),
  field('payer_document_number', ({ payer }) => payer.document_number),
  words('payee_name', ({ payee }) => payee.name),
  iban('payee_iban', ({ payee }) => payee.iban),
  field('payee_phone_number', ({ payee }) => payee.phone_number),
  field('payee_document_number', ({ payee }) => payee.document_number),
  description,
  words('error_message', (payment) => payment.error_message),
  time('submitted_at', (payment) => payment.submitted_at),
  time('completed_at', (payment) => payment.completed_at),
  field('channel_reference', (payment) => payment.channel_reference),
  field('sinpe_reference', (payment) => payment.sinpe_reference),
  field('idempotency_key', (payment) => payment.idempotency_key),
  movedAmount,
]

const isIncoming = (payment: Payment | InitiatedPayment): boolean =>
  'transfer_type' in payment && payment.transfer_type === 'credit'

export const markOf = (payment: Payment | InitiatedPayment): Mark => {
  if (payment.status === 'completed') return isIncoming(payment) ? 'incoming' : 'good'
  if (hasEnded(payment.status)) return 'bad'
  return isUnderWay(payment.status) ? 'busy' : 'unknown'
}

/**
 * `-1,500.25 CRC` for money that goes out, `+25,000.00 CRC` for money that comes in. A payment that ended without
 * paying has no sign.
 */
function signed(payment: Payment, amount: string): string {
  if (amount === '' || markOf(payment) === 'bad') return amount
  return (isIncoming(payment) ? '+' : '-') + amount
}

const signedAmount: Column<Payment> = {
  ...money('amount', (payment) => payment.amount),
  data: (payment) => signed(payment, decimal(payment.amount.value)),
  text: (payment) => signed(payment, moneyText(payment.amount)),
  tone: (payment) => (markOf(payment) === 'bad' ? 'dim' : undefined),
  // With this minimum width, the heading line has room for the day to the left of this column's heading.
  least: amountWidth,
}

const counterparty: Column<Payment> = {
  ...words('name', (payment) => (isIncoming(payment) ? payment.payer.name : payment.payee.name)),
  heading: 'payee or payer',
  meaning: 'Name of the payee of an outgoing payment, or of the payer of an incoming one',
}

const rail: Column<Payment> = {
  ...field('rail', (payment) => (payment.channel === 'sinpe_movil' ? 'sinpe' : payment.channel)),
  width: 'sinpe'.length,
  meaning: 'pin or sinpe',
  dispensable: true,
}

/** A status in words: `service unavailable`. */
export const statusWord = (status: string | null | undefined): Text =>
  foreign(String(status ?? 'unknown').replaceAll('_', ' '))

/** Reason for a payment's failure; undefined if it did not fail. */
function failureOf(payment: Payment): Text | undefined {
  const { status, error_message } = payment
  if (markOf(payment) !== 'bad') return undefined
  const reason = error_message ? foreign(error_message) : undefined
  if (reason && status === 'failed') return reason
  return reason ? say`${statusWord(status)}: ${reason}` : statusWord(status)
}

/**
 * Returns a function that reports the id of the emulator's world that has answered the client; undefined if no emulator
 * has answered. Call this function before the request is sent.
 */
export function worldSeen(client: Client): () => string | undefined {
  let world: string | undefined
  client.onAnswer(({ headers }) => {
    world = headers[worldHeader.toLowerCase()] ?? world
  })
  return () => world
}

/**
 * Returns a function that reports whether an emulator has answered the client. Call this function before the request is
 * sent.
 */
export function emulatorSeen(client: Client): () => boolean {
  const world = worldSeen(client)
  return () => world() !== undefined
}

/**
 * Layout of payments in the answers of a service. `isEmulator`: called for each row; true if an emulator has answered.
 */
export const paymentLayoutOf = (isEmulator: () => boolean): Layout<Payment> => ({
  ...paymentLayout,
  below(payment) {
    const failure = failureOf(payment)
    const money = failure && knownMoney(moneyOutcome(payment, isEmulator()), payment.payer.iban)
    return failure && money ? say`${failure}: ${money}` : failure
  },
  card: (payment) => cardOf(payment, moneyOutcome(payment, isEmulator())),
})

/** Shows each payment on one line, even on a terminal of 80 columns. */
export const paymentLayout: Layout<Payment> = {
  columns: paymentColumns,
  table: [
    mark(markOf),
    clock('time', (payment) => payment.created_at),
    signedAmount,
    { ...fee, spare: true },
    counterparty,
    rail,
    { ...description, spare: true },
    { ...reference, spare: true },
    { ...paymentId, shortened: true },
  ],
  wide: [
    { ...createdAt, name: 'time', meaning: 'Time at which the payment was accepted' },
    state,
    signedAmount,
    fee,
    counterparty,
    rail,
    description,
    reference,
    paymentId,
  ],
  group: { over: 'time', of: (payment) => dayOf(payment.created_at) },
  below: failureOf,
  card: (payment) => cardOf(payment, null),
  schema: 'Payment',
}

/** `money`: outcome of the money; null if the money has arrived, or if nothing is known about the money. */
function cardOf(payment: Payment, money: MoneyOutcome | null): Card {
  const isSaid = money !== null && (money !== 'not_known' || endedUnpaid(payment.status))
  return {
    mark: markOf(payment),
    title: titleOf(payment, signed(payment, moneyText(payment.amount)), payment.fee),
    lines: [
      ['To', partyOf(payment.payee, payment.channel)],
      ['From', partyOf(payment.payer)],
      ['Description', payment.description],
      ['Reason', payment.error_message && foreign(payment.error_message)],
      ['Money', isSaid ? moneyWords(money, payment.payer.iban) : null],
      ['Sent', progressOf(payment)],
      ['Reference', payment.sinpe_reference],
      ['Channel ref', payment.channel_reference],
      ['Id', payment.id],
      ['Key', payment.idempotency_key],
    ],
  }
}

const titleOf = (payment: Payment | InitiatedPayment, amount: string, fee?: Money | null): Said[] => [
  statusWord(payment.status),
  amount,
  ...(fee ? [say`fee ${feeText(fee, payment.amount)}`] : []),
]

/** Omits the currency if the fee and the amount have the same currency. */
const feeText = (fee: Money, amount: Money): Said =>
  (fee.currency === amount.currency && decimal(fee.value)) || moneyText(fee) || say`not known`

interface PartyDetails {
  readonly name?: string | null | undefined
  readonly iban?: string | null | undefined
  readonly phone_number?: string | null | undefined
}

/** A payee or payer, for people: `Carlos Jiménez Mora, 8700 0001 (SINPE Móvil)`. */
function partyOf({ name, iban, phone_number }: PartyDetails, channel?: string | null): string {
  const address = phone_number ? formatAddress(phone_number) : formatAddress(iban ?? '')
  const over = channel === 'sinpe_movil' ? ' (SINPE Móvil)' : channel === 'pin' ? ' (PIN)' : ''
  return [name, address].filter((part) => part).join(', ') + over
}

function progressOf({ submitted_at, created_at, completed_at }: Payment): Said {
  const sent = zonedTime(submitted_at ?? created_at)
  if (!completed_at) return sent
  const [from, to] = [localTime(submitted_at ?? created_at), localTime(completed_at)]
  const isSameDay = from.slice(0, 10) === to.slice(0, 10)
  return say`${sent}, completed ${isSameDay ? clockTime(completed_at) : to}`
}

/** True for a payment that was read: in the answer to a payment request, the payee is null or missing. */
const isRead = (payment: InitiatedPayment | Payment): payment is Payment => 'payee' in payment && Boolean(payment.payee)

export const recipientOf = (payment: InitiatedPayment | Payment): string | null | undefined =>
  isRead(payment)
    ? (payment.payee.iban ?? payment.payee.phone_number)
    : (payment.recipient_iban ?? payment.recipient_phone)

const sentColumns: readonly Column<InitiatedPayment | Payment>[] = [
  field('id', (payment) => payment.id),
  status('status', (payment) => payment.status),
  field('channel', (payment) => payment.channel),
  money('amount', (payment) => payment.amount),
  field('currency', (payment) => payment.amount.currency),
  field('recipient', recipientOf),
  field('description', (payment) => payment.description),
  field('channel_reference', (payment) => payment.channel_reference),
  field('idempotency_key', (payment) => payment.idempotency_key),
]

/**
 * A payment just sent, or read back after a lost answer. `isStateShown`: true if the payment's state was just printed.
 */
export const sentLayout = (isStateShown: boolean): Layout<InitiatedPayment | Payment> => ({
  columns: sentColumns,
  card: (payment) => ({
    mark: markOf(payment),
    title: isStateShown ? [] : titleOf(payment, moneyText(payment.amount)),
    lines: [
      ['To', isRead(payment) ? partyOf(payment.payee, payment.channel) : initiatedTo(payment)],
      ['Description', payment.description],
      ['Channel ref', payment.channel_reference],
      ['Id', payment.id],
      ['Key', payment.idempotency_key],
    ],
  }),
})

const initiatedTo = ({ recipient_iban, recipient_phone, channel }: InitiatedPayment): string =>
  partyOf({ iban: recipient_iban, phone_number: recipient_phone }, channel)

export const validationColumns: readonly Column<PaymentValidation>[] = [
  field('channel', ({ channel }) => channel),
  money('fee', ({ fee }) => fee),
  field('currency', ({ fee }) => fee.currency),
]
