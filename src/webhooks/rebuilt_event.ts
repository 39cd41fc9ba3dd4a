import type { EventName } from '../contract/event_names.ts'
import type { EventBody } from '../contract/events.ts'
import type { Payment } from '../contract/index.ts'
import { version } from '../version.ts'
import { type Delivery, recoveredHeader } from './delivery.ts'
import { eventOf, type TailEvent } from './event.ts'

/** A payment that ended without an event having told of it. */
export interface Recovered {
  readonly event: TailEvent
  /** What the service would have delivered, to save and to pass on. Undefined where no event tells of such an end. */
  readonly delivery: Delivery | undefined
}

/** `name` is that of the event that tells of its end, if there is one. */
export function recoveredFrom(payment: Payment, name: EventName | null): Recovered {
  const receivedAt = new Date().toISOString()
  if (name !== null) {
    const delivery = deliveryOf(bodyOf(payment, name), receivedAt)
    return { event: { ...eventOf(delivery), recovered: true }, delivery }
  }
  const about = { delivery_id: null, attempt: null, event: null, timestamp: null }
  return { event: { received_at: receivedAt, recovered: true, ...about, data: payment }, delivery: undefined }
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

/** In the shape of the interface's events. The history has no code for a failure; of all codes `rejected` says least. */
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

type Party = Partial<Omit<Payment['payee'], 'iban'>> & { readonly iban?: string | null }

/** A service may leave a party out of its history. */
const partyOf = (party: Party | undefined) => ({
  iban: party?.iban ?? null,
  document_number: party?.document_number ?? null,
  document_type: party?.document_type ?? null,
  phone_number: party?.phone_number ?? null,
  name: party?.name ?? null,
})

/** Milliseconds that Costa Rica is behind UTC, all year. */
const offset = 6 * 3_600_000

/** `2026-01-05T12:00:00` in Costa Rica; undefined for what is no time. */
function localTime(time: string | null | undefined): string | undefined {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms - offset).toISOString().slice(0, 19)
}
