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
  description: 'Payment rail: `pin` pays to an IBAN, `sinpe_movil` to a mobile phone',
})
export type Channel = Static<typeof Channel>

export const TransferType = Type.Enum(transferTypes, {
  description: 'Direction as the user sees it: `debit` is sent money, `credit` received money',
})
export type TransferType = Static<typeof TransferType>

export const PaymentStatus = Type.Enum(paymentStatuses, {
  description:
    'In progress while `pending` or `processing`; every other status is final, and only `completed` has paid',
})
export type PaymentStatus = Static<typeof PaymentStatus>

const party = {
  document_number: ShownDocument,
  document_type: described(
    nullable(DocumentType),
    'SINPE’s type of that document; null if the rail does not report it',
  ),
  name: Type.String({ description: 'First and last names, or the name of a company' }),
}

const Payer = Type.Object(
  { iban: described(nullable(Type.String()), 'IBAN that the money comes from; null if unknown'), ...party },
  { description: 'Sender of the money' },
)

const Payee = Type.Object(
  {
    ...party,
    iban: Type.Optional(Type.String({ description: 'IBAN that the money goes to; only over `pin`' })),
    phone_number: Type.Optional(
      Type.String({ description: 'Eight digits of the phone number; only over `sinpe_movil`' }),
    ),
  },
  { description: 'Receiver of the money' },
)

/** Members of a payment in every answer and event. */
export const paymentMembers = {
  id: described(Uuid, 'Permanent id of the payment'),
  idempotency_key: Type.String({
    description: 'Key of the caller; begins with `CREDIT_` for received money',
  }),
  channel_reference: Type.String({ description: 'The service’s reference of the payment: 25 digits' }),
  sinpe_reference: Type.String({ description: 'The rail’s reference: 25 digits' }),
  amount: described(Money, 'Amount that the payee receives'),
  fee: described(nullable(Money), 'Fee that the payer is charged on top; null while it is unknown'),
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
    description: described(
      nullable(Type.String()),
      'Purpose of the payment: the payer’s text, or the default of the rail',
    ),
    error_message: described(
      nullable(Type.String()),
      'Reason why the payment did not arrive; null if it arrived or may still arrive',
    ),
    created_at: described(Timestamp, 'Time of acceptance: UTC, to the microsecond'),
    submitted_at: described(nullable(Timestamp), 'Time when the payment was handed to its rail, UTC; null until then'),
    completed_at: described(nullable(Timestamp), 'Time of arrival, UTC; null until then'),
    channel: Channel,
  },
  { description: 'A payment with its current status' },
)
export type Payment = Static<typeof Payment>

export const InitiatedPayment = Type.Object(
  {
    id: described(Uuid, 'Permanent id of the payment: read it again by this id'),
    channel: Channel,
    status: PaymentStatus,
    channel_reference: paymentMembers.channel_reference,
    idempotency_key: Type.String({ description: 'Key of the request' }),
    source_account_id: described(Uuid, 'Id of the account that pays'),
    recipient_iban: described(nullable(Type.String()), 'IBAN of the payee; null over `sinpe_movil`'),
    recipient_phone: described(nullable(Type.String()), 'Phone of the payee; null over `pin`'),
    amount: paymentMembers.amount,
    description: Type.String({ description: 'Purpose: the description of the request, or the default of the rail' }),
  },
  { description: 'An accepted payment. The payment is processed afterwards' },
)
export type InitiatedPayment = Static<typeof InitiatedPayment>

export const PaymentValidation = Type.Object(
  { channel: Channel, fee: described(Money, 'Fee that the payer would be charged on top of the amount') },
  { description: 'Rail and fee of a payment that is not made' },
)
export type PaymentValidation = Static<typeof PaymentValidation>

export const SendPaymentBody = Type.Object(
  {
    source_account_id: described(
      uuidOf('Source account ID', { required: 'Source account is required' }),
      'Id of the user’s account that pays',
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
        'Purpose, shown to the payee. Default: the usual text of the rail',
      ),
    ),
    recipient_email: Type.Optional(described(nullable(Email), 'Email address at which the payee is notified')),
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
      'Key of the caller for one payment: 1 to 255 visible ASCII characters. A repeated key returns the same payment',
    'x-messages': {
      required: `${idempotencyHeader} header is required`,
      pattern: `${idempotencyHeader} must be 1 to 255 visible ASCII characters`,
    },
  }),
})

/** Headers of the answer to a request with a used key. The answer contains the first payment with that key. */
export const ReplayHeaders = Type.Object({
  [replayedHeader]: Type.Optional(
    Type.Literal('true', {
      description: 'True if the key was used before: the answer contains the payment with that key',
    }),
  ),
})

export const PaymentParams = Type.Object({
  id: described(uuidOf('Payment ID', { field: 'payment_id' }), 'Id of one of the user’s payments'),
})

export const HistoryQuery = Type.Object({
  ...pageQuery,
  channel: Type.Optional(described(nullable(Channel), 'Only payments over this rail')),
  transfer_type: Type.Optional(described(nullable(TransferType), 'Only sent money, or only received money')),
  recipient_document_number: Type.Optional(
    described(
      nullable(DocumentNumber),
      'Only payments to the holder with this document number, without dashes or spaces',
    ),
  ),
})
export type HistoryQuery = Static<typeof HistoryQuery>

export const RailState = Type.Enum(railStates, { description: 'State of a rail: only `online` accepts payments' })
export type RailState = Static<typeof RailState>

const RailStatus = Type.Object({
  available: Type.Boolean({ description: 'True if payments can be sent over the rail now' }),
  status: described(RailState, 'State of the rail, as a word'),
})

export const ServiceStatus = Type.Object(
  {
    pin_service: described(RailStatus, 'Payments to an IBAN'),
    sinpe_service: described(RailStatus, 'Payments to a mobile phone'),
    overall_status: Type.Enum(['online', 'partial', 'offline'], {
      description: 'Rails that are online: both, one or none',
    }),
  },
  { description: 'Rails that accept payments' },
)
export type ServiceStatus = Static<typeof ServiceStatus>
