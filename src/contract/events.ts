import { type Static, type TSchema, Type } from 'typebox'
import { type EventName, eventSummaries, stateCodes } from './event_names.ts'
import { Channel, PaymentStatus, paymentMembers, TransferType } from './schemas/payment.ts'
import { DocumentType, described, nullable, ShownDocument } from './schemas/scalars.ts'

export const EventParty = Type.Object(
  {
    iban: described(nullable(Type.String()), 'IBAN of the account; null where it is not known'),
    document_number: ShownDocument,
    document_type: described(
      nullable(DocumentType),
      'SINPE’s kind of that document; null where the rail does not tell it',
    ),
    phone_number: described(
      nullable(Type.String()),
      'Eight digits of a phone; null over `pin`, and where it is not known',
    ),
    name: Type.String({ description: 'First and last names, or the name of a company' }),
  },
  { description: 'Who pays or is paid' },
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
    'The service’s reference of the payment: 25 digits; null for money that came',
  ),
  sinpe_reference: described(nullable(Type.String()), 'The rail’s reference: 25 digits; null until the rail gives it'),
  channel: Channel,
  transfer_type: TransferType,
  payer: described(EventParty, 'Who pays'),
  payee: described(EventParty, 'Who is paid'),
  amount: paymentMembers.amount,
  fee: paymentMembers.fee,
  description: described(nullable(Type.String()), 'What the payment is for'),
  status: described(PaymentStatus, 'As it was when the event happened'),
  created_at: described(LocalTime, 'When it was accepted: local time in Costa Rica (UTC-06:00), without a zone'),
  completed_at: described(
    nullable(LocalTime),
    'When it arrived: local time in Costa Rica (UTC-06:00), without a zone; null until then',
  ),
}

/** Any string: the interface lists no values, and services send `rejected` for most failures. */
export const StateCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    'Why a rail turned a payment down. Any text, most often `rejected` with the reason in `error`: do not switch on it',
  examples: [...stateCodes],
})

export const FailureText = Type.String({ minLength: 1, maxLength: 255, description: 'Why it failed, for people' })

const failure = { error: Type.String({ description: 'Why it failed, for people' }), state_code: StateCode }

export const EventData = Type.Object(data, { description: 'The payment that an event is about' })
export const FailedEventData = Type.Object({ ...data, ...failure }, { description: 'The payment that failed, and why' })

/** ISO 8601 with the offset of Costa Rica: `2026-01-05T12:00:00-06:00`. */
const DeliveryTime = Type.String({
  format: 'date-time',
  description: 'When the event happened: ISO 8601 with the offset of Costa Rica',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d-06:00$',
})

const delivery = <const Name extends EventName, D extends TSchema>(event: Name, data: D) =>
  Type.Object(
    {
      event: Type.Literal(event, { description: 'Which event: tells the bodies apart' }),
      data,
      timestamp: DeliveryTime,
    },
    { description: eventSummaries[event] },
  )

/** The body of a delivery, by event. */
export const events = {
  'payment.created': delivery('payment.created', EventData),
  'payment.processing': delivery('payment.processing', EventData),
  'payment.completed': delivery('payment.completed', EventData),
  'payment.failed': delivery('payment.failed', FailedEventData),
  'transaction.received': delivery('transaction.received', EventData),
} as const

export type EventBody<Name extends EventName = EventName> = Static<(typeof events)[Name]>
