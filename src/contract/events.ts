import { type Static, type TSchema, Type } from 'typebox'
import { type EventName, eventSummaries, stateCodes } from './event_names.ts'
import { Channel, PaymentStatus, paymentMembers, TransferType } from './schemas/payment.ts'
import { DocumentType, described, nullable, ShownDocument } from './schemas/scalars.ts'

export const EventParty = Type.Object(
  {
    iban: described(nullable(Type.String()), 'IBAN of the account; null if unknown'),
    document_number: ShownDocument,
    document_type: described(
      nullable(DocumentType),
      'SINPE’s type of that document; null if the rail does not report it',
    ),
    phone_number: described(
      nullable(Type.String()),
      'Eight digits of the phone number; null over `pin`, or if unknown',
    ),
    name: Type.String({ description: 'First and last names, or the name of a company' }),
  },
  { description: 'Payer or payee' },
)

const LocalTime = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
  description: 'Local time in Costa Rica (UTC-06:00), without a zone: `2026-01-05 12:00:00`',
})

const data = {
  id: paymentMembers.id,
  idempotency_key: paymentMembers.idempotency_key,
  channel_reference: described(
    nullable(Type.String()),
    'The service’s reference of the payment: 25 digits; null for received money',
  ),
  sinpe_reference: described(nullable(Type.String()), 'The rail’s reference: 25 digits; null until the rail gives it'),
  channel: Channel,
  transfer_type: TransferType,
  payer: described(EventParty, 'Sender of the money'),
  payee: described(EventParty, 'Receiver of the money'),
  amount: paymentMembers.amount,
  fee: paymentMembers.fee,
  description: described(nullable(Type.String()), 'Purpose of the payment'),
  status: described(PaymentStatus, 'Status at the time of the event'),
  created_at: described(LocalTime, 'Time of acceptance: local time in Costa Rica (UTC-06:00), without a zone'),
  completed_at: described(
    nullable(LocalTime),
    'Time of arrival: local time in Costa Rica (UTC-06:00), without a zone; null until then',
  ),
}

/** Any string: the interface lists no values, and services send `rejected` for most failures. */
export const StateCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    'Code of the rejection by the rail. Can be any string, most often `rejected` with the reason in `error`: programs must not depend on the code',
  examples: [...stateCodes],
})

export const FailureText = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Human-readable reason for the failure',
})

const failure = { error: Type.String({ description: 'Human-readable reason for the failure' }), state_code: StateCode }

export const EventData = Type.Object(data, { description: 'Payment that the event reports' })
export const FailedEventData = Type.Object({ ...data, ...failure }, { description: 'Failed payment, with the reason' })

/** ISO 8601 with the offset of Costa Rica: `2026-01-05T12:00:00-06:00`. */
const DeliveryTime = Type.String({
  format: 'date-time',
  description: 'Time of the event: ISO 8601 with the offset of Costa Rica',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d-06:00$',
})

const delivery = <const Name extends EventName, D extends TSchema>(event: Name, data: D) =>
  Type.Object(
    {
      event: Type.Literal(event, { description: 'Name of the event, by which programs distinguish the bodies' }),
      data,
      timestamp: DeliveryTime,
    },
    { description: eventSummaries[event] },
  )

/** The body of a delivery, keyed by event. */
export const events = {
  'payment.created': delivery('payment.created', EventData),
  'payment.processing': delivery('payment.processing', EventData),
  'payment.completed': delivery('payment.completed', EventData),
  'payment.failed': delivery('payment.failed', FailedEventData),
  'transaction.received': delivery('transaction.received', EventData),
} as const

export type EventBody<Name extends EventName = EventName> = Static<(typeof events)[Name]>
