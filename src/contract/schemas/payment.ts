import { type Static, Type } from 'typebox'
import { idempotencyHeader, replayedHeader } from '../headers.ts'
import { maximumAmount } from '../money.ts'
import { Money } from './money.ts'
import { pageQuery } from './page.ts'
import { DocumentNumber, DocumentType, Email, Iban, nullable, Phone, Timestamp, Uuid, uuidOf } from './scalars.ts'

export const Channel = Type.Enum(['pin', 'sinpe_movil'])
export type Channel = Static<typeof Channel>

export const TransferType = Type.Enum(['debit', 'credit'])
export type TransferType = Static<typeof TransferType>

export const PaymentStatus = Type.Enum([
  'pending',
  'processing',
  'completed',
  'failed',
  'timeout',
  'service_unavailable',
  'validation_failed',
  'system_error',
])
export type PaymentStatus = Static<typeof PaymentStatus>

const Payer = Type.Object({
  iban: nullable(Type.String()),
  document_number: Type.String(),
  document_type: nullable(DocumentType),
  name: Type.String(),
})

const Payee = Type.Object({
  document_number: Type.String(),
  document_type: nullable(DocumentType),
  name: Type.String(),
  iban: Type.Optional(Type.String()),
  phone_number: Type.Optional(Type.String()),
})

/** A payment as read back. `sinpe_reference` is absent until the rail assigns it; `fee` is null until it is known. */
export const Payment = Type.Object({
  id: Uuid,
  idempotency_key: Type.String(),
  channel_reference: Type.String(),
  sinpe_reference: Type.Optional(Type.String()),
  transfer_type: TransferType,
  status: PaymentStatus,
  amount: Money,
  fee: nullable(Money),
  payer: Payer,
  payee: Payee,
  description: nullable(Type.String()),
  error_message: nullable(Type.String()),
  created_at: Timestamp,
  submitted_at: nullable(Timestamp),
  completed_at: nullable(Timestamp),
  channel: Channel,
})
export type Payment = Static<typeof Payment>

export const InitiatedPayment = Type.Object({
  id: Uuid,
  channel: Channel,
  status: PaymentStatus,
  channel_reference: Type.String(),
  idempotency_key: Type.String(),
  source_account_id: Uuid,
  recipient_iban: nullable(Type.String()),
  recipient_phone: nullable(Type.String()),
  amount: Money,
  description: Type.String(),
})
export type InitiatedPayment = Static<typeof InitiatedPayment>

export const PaymentValidation = Type.Object({ channel: Channel, fee: Money })
export type PaymentValidation = Static<typeof PaymentValidation>

/**
 * Exactly one of `recipient_iban` (channel `pin`) and `recipient_phone` (channel `sinpe_movil`).
 * `amount` is in minor units of the source account's currency. `recipient_email` is where the recipient hears of it.
 */
export const SendPaymentBody = Type.Object({
  source_account_id: uuidOf('Source account ID', { required: 'Source account is required' }),
  amount: Type.Integer({
    minimum: 1,
    maximum: maximumAmount,
    'x-messages': { minimum: 'The amount must be greater than 0', maximum: 'Amount exceeds maximum limit' },
  }),
  recipient_iban: Type.Optional(nullable(Iban)),
  recipient_phone: Type.Optional(nullable(Phone)),
  description: Type.Optional(nullable(Type.String({ minLength: 15, maxLength: 255 }))),
  recipient_email: Type.Optional(nullable(Email)),
})
export type SendPaymentBody = Static<typeof SendPaymentBody>

/** The caller's key for one payment: 1 to 255 visible ASCII characters. */
export const IdempotencyHeaders = Type.Object({
  [idempotencyHeader]: Type.String({
    pattern: '^[\\x21-\\x7e]{1,255}$',
    'x-messages': {
      required: `${idempotencyHeader} header is required`,
      pattern: `${idempotencyHeader} must be 1 to 255 visible ASCII characters`,
    },
  }),
})

/** On the answer to a key that has been used: the payment is the first one. */
export const ReplayHeaders = Type.Object({
  [replayedHeader]: Type.Optional(
    Type.Literal('true', { description: 'the key was used before; this is its payment' }),
  ),
})

export const PaymentParams = Type.Object({ id: uuidOf('Payment ID', { field: 'payment_id' }) })

export const HistoryQuery = Type.Object({
  ...pageQuery,
  channel: Type.Optional(nullable(Channel)),
  transfer_type: Type.Optional(nullable(TransferType)),
  recipient_document_number: Type.Optional(nullable(DocumentNumber)),
})
export type HistoryQuery = Static<typeof HistoryQuery>

export const RailState = Type.Enum(['online', 'offline'])
export type RailState = Static<typeof RailState>

const RailStatus = Type.Object({ available: Type.Boolean(), status: RailState })

export const ServiceStatus = Type.Object({
  pin_service: RailStatus,
  sinpe_service: RailStatus,
  overall_status: Type.Enum(['online', 'partial', 'offline']),
})
export type ServiceStatus = Static<typeof ServiceStatus>
