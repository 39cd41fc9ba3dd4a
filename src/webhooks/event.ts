import { isObject, isTooDeep, originalOf } from '../client/decode.ts'
import type { Payment } from '../client/received.ts'
import type { EventName } from '../contract/event_names.ts'
import type { EventBody } from '../contract/events.ts'
import { decimal, moneyText } from '../contract/money.ts'
import { version } from '../version.ts'
import { attemptOf, type Delivery, idOf, recoveredHeader } from './delivery.ts'
import { firstLine, type Outcome, shownUrl } from './forward.ts'

/** An event as `payctl webhooks tail` prints it: from a delivery, or from a payment in the history. */
export interface TailEvent {
  /** ISO 8601 UTC. */
  readonly received_at: string
  /** True if the event comes from the history because no delivery arrived. */
  readonly recovered: boolean
  /** The service's delivery id, equal for all attempts. */
  readonly delivery_id: string | null
  readonly attempt: number | null
  readonly event: string | null
  /** Time of the event, from the service. */
  readonly timestamp: string | null
  /** The payment, as received. */
  readonly data: unknown
  /** Body of the delivery, if it is not an event. */
  readonly raw?: string
  readonly forward?: Forwarded
}

interface Forwarded {
  /** Without its query. */
  readonly url: string | null
  readonly status: number | null
  readonly error: string | null
  readonly duration_ms: number
  /** First line of the answer's body. */
  readonly answer: string | null
}

/** Maximum number of nesting levels. No event is nested deeper, and a much deeper body could not be written as JSON. */
const deepest = 64

export function eventOf(delivery: Delivery): TailEvent {
  const about = {
    received_at: delivery.receivedAt,
    recovered: false,
    delivery_id: idOf(delivery),
    attempt: attemptOf(delivery),
  }
  const text = delivery.body.toString()
  const body = objectIn(text)
  if (body === undefined) return { ...about, event: null, timestamp: null, data: null, raw: text }
  const { event, timestamp, data } = body
  return { ...about, event: textOf(event), timestamp: textOf(timestamp), data: data ?? null }
}

export const withForward = (event: TailEvent, outcome: Outcome): TailEvent => ({
  ...event,
  forward: {
    url: outcome.url === undefined ? null : shownUrl(outcome.url),
    status: outcome.status,
    error: outcome.error,
    duration_ms: outcome.durationMs,
    answer: firstLine(outcome),
  },
})

type Values = Readonly<Record<string, unknown>>

function objectIn(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && !isTooDeep(value, deepest) ? value : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Facts of a payment to show on a line. Anything may be missing, because a delivery is unchecked. */
interface Facts {
  readonly id: string | null
  readonly status: string | null
  readonly channel: string | null
  readonly transferType: string | null
  /** `1,500.25 CRC`; empty if the value is not an amount. */
  readonly amountText: string
  /** Major units. */
  readonly amount: string | null
  readonly currency: string | null
  readonly counterparty: string | null
  readonly error: string | null
  /** Time of the event, if known, in the service's format. */
  readonly time: string | null
}

export function factsOf({ data, timestamp }: Pick<TailEvent, 'data' | 'timestamp'>): Facts {
  const payment = isObject(data) ? data : {}
  const amount = isObject(payment.amount) ? payment.amount : {}
  const value = Number.isSafeInteger(amount.value) ? decimal(Number(amount.value)) : null
  const transferType = textOf(payment.transfer_type)
  const other = transferType === 'credit' ? payment.payer : payment.payee
  const currency = textOf(amount.currency)
  return {
    id: textOf(payment.id),
    status: textOf(payment.status),
    channel: textOf(payment.channel),
    transferType,
    amountText: moneyText(amount),
    amount: value,
    currency,
    counterparty: isObject(other) ? textOf(other.name) : null,
    error: textOf(payment.error) ?? textOf(payment.error_message),
    time: timestamp ?? textOf(payment.completed_at) ?? textOf(payment.created_at),
  }
}

/** An event that payctl creates for a payment that ended without an event. */
export interface RecoveredEvent {
  readonly event: TailEvent
  /**
   * The delivery that the service would have made, to save and forward. Undefined if no event exists for this outcome.
   */
  readonly delivery: Delivery | undefined
}

/** `name`: the event for the payment's outcome; null if there is none. */
export function recoveredEvent(payment: Payment, name: EventName | null): RecoveredEvent {
  const receivedAt = new Date().toISOString()
  if (name !== null) {
    const delivery = deliveryOf(bodyOf(payment, name), receivedAt)
    return { event: { ...eventOf(delivery), recovered: true }, delivery }
  }
  const about = { delivery_id: null, attempt: null, event: null, timestamp: null }
  return {
    event: { received_at: receivedAt, recovered: true, ...about, data: originalOf(payment) },
    delivery: undefined,
  }
}

const deliveryOf = (body: EventBody, receivedAt: string): Delivery => ({
  receivedAt,
  headers: [
    ['Content-Type', 'application/json'],
    ['User-Agent', `payctl/${version}`],
    [recoveredHeader, 'true'],
  ],
  body: Buffer.from(JSON.stringify(body)),
})

/** Event body in the interface's form. The history has no failure code; `rejected` is the most general code. */
function bodyOf(payment: Payment, event: EventName): EventBody {
  const { error_message, completed_at, submitted_at, created_at } = payment
  const failure = { error: error_message ?? '', state_code: 'rejected' as const }
  const data = { ...dataOf(payment), ...(event === 'payment.failed' && failure) }
  const timestamp = `${localTime(completed_at ?? submitted_at ?? created_at) ?? ''}-06:00`
  return { event, data, timestamp } as EventBody
}

function dataOf(payment: Payment) {
  const { transfer_type, status, created_at, completed_at } = payment
  const isDebit = transfer_type !== 'credit'
  return {
    id: payment.id,
    idempotency_key: payment.idempotency_key,
    channel_reference: isDebit ? payment.channel_reference : null,
    sinpe_reference: payment.sinpe_reference ?? null,
    channel: payment.channel,
    transfer_type,
    payer: partyOf(payment.payer),
    payee: partyOf(payment.payee),
    amount: payment.amount,
    fee: isDebit && status === 'completed' ? payment.fee : null,
    description: payment.description,
    status,
    created_at: localTime(created_at)?.replace('T', ' ') ?? null,
    completed_at: localTime(completed_at)?.replace('T', ' ') ?? null,
  }
}

type Party = Payment['payer'] | Payment['payee']

/** A party with every member; null for a member that the service omits from its history. */
const partyOf = (party: Party) => ({
  iban: party.iban ?? null,
  document_number: party.document_number ?? null,
  document_type: party.document_type ?? null,
  phone_number: 'phone_number' in party ? (party.phone_number ?? null) : null,
  name: party.name ?? null,
})

/** Milliseconds by which Costa Rica is behind UTC, all year. */
const offset = 6 * 3_600_000

/** `2026-01-05T12:00:00` in Costa Rica's time; undefined if the text is not a time. */
function localTime(time: string | null | undefined): string | undefined {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms - offset).toISOString().slice(0, 19)
}
