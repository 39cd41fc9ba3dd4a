import { decimal } from '../money/decimal.ts'
import { attemptOf, type Delivery, idOf } from './delivery.ts'
import type { Outcome } from './forward.ts'

/** What tail prints of a delivery, or of a payment that it read in the history instead. */
export interface TailEvent {
  /** ISO 8601 UTC. */
  readonly received_at: string
  /** Read in the history: no delivery has told of it. */
  readonly recovered: boolean
  /** The service's name for the delivery, the same over all attempts. */
  readonly delivery_id: string | null
  readonly attempt: number | null
  readonly event: string | null
  /** When it happened, as the service says. */
  readonly timestamp: string | null
  /** The payment, as sent. */
  readonly data: unknown
  /** The body in place of its data, where it is no event at all. */
  readonly raw?: string
  readonly forward?: Forwarded
}

interface Forwarded {
  readonly status: number | null
  readonly error: string | null
  readonly duration_ms: number
}

/** Deeper than any event; what is deeper still could not be written out again. */
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

export const forwarded = (event: TailEvent, { status, error, durationMs }: Outcome): TailEvent => ({
  ...event,
  forward: { status, error, duration_ms: durationMs },
})

type Values = Readonly<Record<string, unknown>>

function objectIn(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && isWithin(value, deepest) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isWithin = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((one) => isWithin(one, depth - 1)))

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** What a line shows of a payment. Nothing is taken for granted: a delivery can hold anything. */
export interface Facts {
  readonly id: string | null
  readonly status: string | null
  readonly channel: string | null
  readonly transferType: string | null
  /** As the service writes it. */
  readonly amountText: string
  /** Major units. */
  readonly amount: string | null
  readonly currency: string | null
  readonly counterparty: string | null
  readonly error: string | null
  /** When it happened, as far as is known: in the service's form. */
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
    amountText: textOf(amount.formatted) ?? `${value ?? ''} ${currency ?? ''}`.trim(),
    amount: value,
    currency,
    counterparty: isObject(other) ? textOf(other.name) : null,
    error: textOf(payment.error) ?? textOf(payment.error_message),
    time: timestamp ?? textOf(payment.completed_at) ?? textOf(payment.created_at),
  }
}
