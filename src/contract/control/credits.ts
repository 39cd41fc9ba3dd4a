import { type Static, Type } from 'typebox'
import { Page, PageQuery } from '../schemas/envelope.ts'
import { Channel, Payment, SendPaymentBody } from '../schemas/payment.ts'
import {
  CreatedAt,
  closed,
  DocumentNumber,
  described,
  Iban,
  Money,
  nullable,
  Phone,
  ShownDocument,
  Time,
  Timestamp,
  Uuid,
  uuidOf,
} from '../schemas/scalars.ts'
import { longestMove } from './clock.ts'
import { controlEndpoint } from './control_endpoint.ts'

const Words = Type.String({ minLength: 1, maxLength: 255 })

export const SinpeReference = Type.String({
  pattern: '^\\d{25}$',
  'x-messages': { pattern: 'The sinpe_reference field must be 25 digits.' },
})

export const CreditBody = closed({
  to: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Id, IBAN or phone of an account of the world',
  }),
  amount: SendPaymentBody.properties.amount,
  from_iban: Type.Optional(described(nullable(Iban), 'IBAN of the sender: the credit comes over `pin`')),
  from_phone: Type.Optional(
    described(
      nullable(Phone),
      'Phone of the sender: the credit comes over `sinpe_movil`. Without an IBAN or phone of the sender, the address in `to` decides the rail',
    ),
  ),
  name: Type.Optional(described(nullable(Words), 'Name of the sender. Default: generated')),
  document_number: Type.Optional(
    described(nullable(DocumentNumber), 'Identity document of the sender in raw form. Default: generated'),
  ),
  description: Type.Optional(described(nullable(Words), 'Purpose. Default: the usual text of the rail')),
  sinpe_reference: Type.Optional(
    described(
      nullable(SinpeReference),
      'The rail’s reference of the credit; no other credit of the world can have the same reference. Default: generated',
    ),
  ),
})
export type CreditBody = Static<typeof CreditBody>

export const ScheduleCreditBody = closed({
  ...CreditBody.properties,
  after_ms: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: longestMove,
        description: 'Delay in milliseconds of the world’s time; exactly one of `after_ms` and `at` is required',
      }),
    ),
  ),
  at: Type.Optional(
    nullable(
      Type.With(Time, {
        description: 'Time of arrival: ISO 8601 with a zone, not in the world’s past',
        'x-messages': { pattern: 'The at field must be an ISO 8601 time with its zone, like 2026-01-05T18:00:00Z.' },
      }) as unknown as typeof Time,
    ),
  ),
})
export type ScheduleCreditBody = Static<typeof ScheduleCreditBody>

export const CreditStatus = Type.Enum(['scheduled', 'received', 'returned'], {
  description:
    '`scheduled`: the credit has not arrived yet; `received`: the receiver has got the payment; `returned`: the money went back to its sender because the account was not active',
})
export type CreditStatus = Static<typeof CreditStatus>

export const ScheduledCredit = Type.Object({
  id: described(Uuid, 'Id of the credit, and of its payment once the money is received'),
  status: CreditStatus,
  due_at: described(
    Timestamp,
    'Time at which the credit is due, UTC by the clock of the world. If the rail is offline at that time, the credit arrives later',
  ),
  account_id: described(Uuid, 'Id of the receiving account'),
  channel: Channel,
  amount: described(Money, 'Amount that the receiver gets'),
  from: described(nullable(Type.String()), 'IBAN or phone of the sender; null if the other bank does not report it'),
  name: Type.String({ description: 'Name of the sender' }),
  document_number: ShownDocument,
  description: described(nullable(Type.String()), 'Purpose; null for the usual text of the rail'),
  sinpe_reference: described(
    nullable(Type.String()),
    'Reference in the request: 25 digits; null if the reference is generated when the money arrives',
  ),
  state_code: described(
    nullable(Type.String()),
    'Reason for the return: `account_closed`, or `account_blocked` for an inactive account; null if the credit was not returned',
  ),
  created_at: CreatedAt,
})
export type ScheduledCredit = Static<typeof ScheduledCredit>

export const creditEndpoints = {
  'control.credits.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/credits',
    summary: 'Make money arrive from another bank',
    description: 'The receiver gets a payment of type `credit` and the event `transaction.received`.',
    body: CreditBody,
    success: { status: 201, message: 'Credit received', data: Payment },
    errors: { 409: 'The payment rail is offline' },
  }),
  'control.credits.schedule': controlEndpoint({
    method: 'POST',
    path: '/_emulator/credits/scheduled',
    summary: 'Make money arrive from another bank later',
    description:
      'Once the credit is due by the world’s clock and its rail is online, it is received like an immediate credit. The payment then has the id in this answer. If the account is not active when the credit arrives, the credit is returned to its sender and nothing is booked.',
    body: ScheduleCreditBody,
    success: { status: 201, message: 'Credit scheduled', data: ScheduledCredit },
  }),
  'control.credits.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/credits/scheduled',
    summary: 'Scheduled credits of all accounts, newest first',
    description: 'Scheduled, received and returned credits, a page at a time.',
    query: PageQuery,
    success: { status: 200, message: 'Scheduled credits listed', data: Page(ScheduledCredit) },
    errors: { 422: null },
    list: 'page',
  }),
  'control.credits.cancel': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/credits/scheduled/{id}',
    summary: 'Cancel a scheduled credit',
    description:
      'The answer is 409 if the credit has already been received or returned. A cancelled credit is removed from the list, and its reference can be used again.',
    params: Type.Object({ id: described(uuidOf('Credit ID', { field: 'id' }), 'Id of a scheduled credit') }),
    success: { status: 200, message: 'Scheduled credit cancelled', data: ScheduledCredit },
    errors: { 404: 'Scheduled credit not found', 409: null, 422: null },
  }),
} as const
