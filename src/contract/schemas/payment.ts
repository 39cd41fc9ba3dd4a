import { type Static, Type } from 'typebox'
import { idempotencyHeader, replayedHeader } from '../headers.ts'
import { maximumAmount } from '../money.ts'
import { channels, paymentStatuses, railStates, transferTypes } from '../payment_names.ts'
import { pageQuery } from './envelope.ts'
import {
  DocumentNumber,
  DocumentType,
  described,
  Email,
  Iban,
  Money,
  minorUnits,
  nullable,
  Phone,
  ShownDocument,
  Timestamp,
  Uuid,
  uuidOf,
} from './scalars.ts'

export const Channel = Type.Enum(channels, {
  description: 'The rail: `pin` pays to an IBAN, `sinpe_movil` to a mobile phone',
})
export type Channel = Static<typeof Channel>

export const TransferType = Type.Enum(transferTypes, {
  description: 'For the user: `debit` is money that leaves, `credit` money that arrives',
})
export type TransferType = Static<typeof TransferType>

export const PaymentStatus = Type.Enum(paymentStatuses, {
  description: 'Under way while `pending` or `processing`; every other status is final, `completed` alone has paid',
})
export type PaymentStatus = Static<typeof PaymentStatus>

const party = {
  document_number: ShownDocument,
  document_type: described(
    nullable(DocumentType),
    'SINPE’s kind of that document; null where the rail does not tell it',
  ),
  name: Type.String({ description: 'First and last names, or the name of a company' }),
}

const Payer = Type.Object(
  { iban: described(nullable(Type.String()), 'IBAN that the money comes from; null where it is not known'), ...party },
  { description: 'Who pays' },
)

const Payee = Type.Object(
  {
    ...party,
    iban: Type.Optional(Type.String({ description: 'IBAN that the money goes to, of payments over `pin`' })),
    phone_number: Type.Optional(
      Type.String({ description: 'Eight digits of a phone, of payments over `sinpe_movil`' }),
    ),
  },
  { description: 'Who is paid' },
)

/** Members of a payment in every answer and event. */
export const paymentMembers = {
  id: described(Uuid, 'Names the payment for good'),
  idempotency_key: Type.String({
    description: 'The caller’s key, or one that begins with `CREDIT_` for money that came',
  }),
  channel_reference: Type.String({ description: 'The service’s reference of the payment: 25 digits' }),
  sinpe_reference: Type.String({ description: 'The rail’s reference: 25 digits' }),
  amount: described(Money, 'What the payee gets'),
  fee: described(nullable(Money), 'What the payer is charged besides; null while that is not known'),
}

export const Payment = Type.Object(
  {
    id: paymentMembers.id,
    idempotency_key: paymentMembers.idempotency_key,
    channel_reference: paymentMembers.channel_reference,
    sinpe_reference: Type.Optional(
      described(paymentMembers.sinpe_reference, 'The rail’s reference: 25 digits; absent until the rail gives it'),
    ),
    transfer_type: TransferType,
    status: PaymentStatus,
    amount: paymentMembers.amount,
    fee: paymentMembers.fee,
    payer: Payer,
    payee: Payee,
    description: described(nullable(Type.String()), 'What the payment is for, in the payer’s words'),
    error_message: described(nullable(Type.String()), 'Why it did not arrive; null for all that did or still may'),
    created_at: described(Timestamp, 'When it was accepted: UTC, to the microsecond'),
    submitted_at: described(nullable(Timestamp), 'When it was handed to its rail, UTC; null until then'),
    completed_at: described(nullable(Timestamp), 'When it arrived, UTC; null until then'),
    channel: Channel,
  },
  { description: 'A payment as read back' },
)
export type Payment = Static<typeof Payment>

export const InitiatedPayment = Type.Object(
  {
    id: described(Uuid, 'Names the payment for good: read it again by this id'),
    channel: Channel,
    status: PaymentStatus,
    channel_reference: paymentMembers.channel_reference,
    idempotency_key: Type.String({ description: 'The key of the request' }),
    source_account_id: described(Uuid, 'Id of the account that pays'),
    recipient_iban: described(nullable(Type.String()), 'IBAN that is paid; null over `sinpe_movil`'),
    recipient_phone: described(nullable(Type.String()), 'Phone that is paid; null over `pin`'),
    amount: paymentMembers.amount,
    description: Type.String({ description: 'What it is for: as it was sent, or the words of the channel' }),
  },
  { description: 'A payment that was accepted. It is processed afterwards' },
)
export type InitiatedPayment = Static<typeof InitiatedPayment>

export const PaymentValidation = Type.Object(
  { channel: Channel, fee: described(Money, 'What the payment would cost the payer besides its amount') },
  { description: 'What the payment would be' },
)
export type PaymentValidation = Static<typeof PaymentValidation>

export const SendPaymentBody = Type.Object(
  {
    source_account_id: described(
      uuidOf('Source account ID', { required: 'Source account is required' }),
      'Id of the account that pays, one of the user’s',
    ),
    amount: Type.Integer({
      ...minorUnits,
      description: 'Minor units of the source account’s currency: 1000 is 10.00',
      minimum: 1,
      maximum: maximumAmount,
      'x-messages': { minimum: 'The amount must be greater than 0', maximum: 'Amount exceeds maximum limit' },
    }),
    recipient_iban: Type.Optional(described(nullable(Iban), 'IBAN to pay over `pin`: CR and 20 digits')),
    recipient_phone: Type.Optional(
      described(nullable(Phone), 'Phone to pay over `sinpe_movil`: eight digits, with or without 506'),
    ),
    description: Type.Optional(
      described(
        nullable(Type.String({ minLength: 15, maxLength: 255 })),
        'What it is for, told to the payee; the channel has words of its own where it is left out',
      ),
    ),
    recipient_email: Type.Optional(described(nullable(Email), 'Where the payee hears of it')),
  },
  { description: 'A payment to exactly one of `recipient_iban` and `recipient_phone`' },
)
export type SendPaymentBody = Static<typeof SendPaymentBody>

/** 1 to 255 visible ASCII characters. */
const keyPattern = '^[\\x21-\\x7e]{1,255}$'

export const IdempotencyKey = Type.String({
  pattern: keyPattern,
  'x-messages': { pattern: 'must be 1 to 255 visible ASCII characters' },
})

export const IdempotencyHeaders = Type.Object({
  [idempotencyHeader]: Type.String({
    pattern: keyPattern,
    description:
      'The caller’s key for one payment: 1 to 255 visible ASCII characters. The same key is the same payment',
    'x-messages': {
      required: `${idempotencyHeader} header is required`,
      pattern: `${idempotencyHeader} must be 1 to 255 visible ASCII characters`,
    },
  }),
})

/** Headers of the answer to a used key: its payment is the first one. */
export const ReplayHeaders = Type.Object({
  [replayedHeader]: Type.Optional(
    Type.Literal('true', { description: 'The key was used before; this is its payment' }),
  ),
})

export const PaymentParams = Type.Object({
  id: described(uuidOf('Payment ID', { field: 'payment_id' }), 'Id of a payment of the user'),
})

export const HistoryQuery = Type.Object({
  ...pageQuery,
  channel: Type.Optional(described(nullable(Channel), 'Only payments over this rail')),
  transfer_type: Type.Optional(described(nullable(TransferType), 'Only money that leaves, or only money that arrives')),
  recipient_document_number: Type.Optional(
    described(nullable(DocumentNumber), 'Only payments to the holder of this identity document, in raw form'),
  ),
})
export type HistoryQuery = Static<typeof HistoryQuery>

export const RailState = Type.Enum(railStates, { description: 'Whether a rail takes payments' })
export type RailState = Static<typeof RailState>

const RailStatus = Type.Object({
  available: Type.Boolean({ description: 'Whether payments can be sent over it now' }),
  status: described(RailState, 'The same in a word'),
})

export const ServiceStatus = Type.Object(
  {
    pin_service: described(RailStatus, 'Payments to an IBAN'),
    sinpe_service: described(RailStatus, 'Payments to a mobile phone'),
    overall_status: Type.Enum(['online', 'partial', 'offline'], { description: 'Both rails, one of them, or none' }),
  },
  { description: 'Which rails take payments' },
)
export type ServiceStatus = Static<typeof ServiceStatus>
