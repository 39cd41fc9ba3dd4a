import { type Static, type TSchema, Type } from 'typebox'
import type { EventName } from './event_names.ts'
import { Money } from './schemas/money.ts'
import { Channel, PaymentStatus, TransferType } from './schemas/payment.ts'
import { DocumentType, nullable, Uuid } from './schemas/scalars.ts'

export const EventParty = Type.Object({
  iban: nullable(Type.String()),
  document_number: Type.String(),
  document_type: nullable(DocumentType),
  phone_number: nullable(Type.String()),
  name: Type.String(),
})

/** Local time in Costa Rica, without a zone. */
const LocalTime = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' })

const data = {
  id: Uuid,
  idempotency_key: Type.String(),
  channel_reference: nullable(Type.String()),
  sinpe_reference: nullable(Type.String()),
  channel: Channel,
  transfer_type: TransferType,
  payer: EventParty,
  payee: EventParty,
  amount: Money,
  fee: nullable(Money),
  description: nullable(Type.String()),
  status: PaymentStatus,
  created_at: LocalTime,
  completed_at: nullable(LocalTime),
}

/** Why a rail turned a payment down. */
export const StateCode = Type.Enum([
  'rejected',
  'account_closed',
  'account_blocked',
  'insufficient_funds',
  'limit_exceeded',
  'currency_mismatch',
])
export type StateCode = Static<typeof StateCode>

const failure = { error: Type.String(), state_code: StateCode }

/** ISO 8601 with the offset of Costa Rica: `2026-01-05T12:00:00-06:00`. */
const DeliveryTime = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d-06:00$' })

const delivery = <const Name extends EventName, D extends Record<string, TSchema>>(event: Name, data: D) =>
  Type.Object({ event: Type.Literal(event), data: Type.Object(data), timestamp: DeliveryTime })

/** The body of a delivery, by event. */
export const events = {
  'payment.created': delivery('payment.created', data),
  'payment.processing': delivery('payment.processing', data),
  'payment.completed': delivery('payment.completed', data),
  'payment.failed': delivery('payment.failed', { ...data, ...failure }),
  'transaction.received': delivery('transaction.received', data),
} as const

export type EventBody<Name extends EventName = EventName> = Static<(typeof events)[Name]>
