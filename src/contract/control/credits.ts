import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { Money } from '../schemas/money.ts'
import { Page, PageQuery } from '../schemas/page.ts'
import { Channel, Payment, SendPaymentBody } from '../schemas/payment.ts'
import {
  CreatedAt,
  closed,
  DocumentNumber,
  described,
  Iban,
  nullable,
  Phone,
  ShownDocument,
  Time,
  Timestamp,
  Uuid,
  uuidOf,
} from '../schemas/scalars.ts'
import { longestMove } from './clock.ts'

const Words = Type.String({ minLength: 1, maxLength: 255 })

/** The rail's reference of a payment. */
export const SinpeReference = Type.String({
  pattern: '^\\d{25}$',
  'x-messages': { pattern: 'The sinpe_reference field must be 25 digits.' },
})

/**
 * Money from another bank. `to` is the id, the IBAN or the phone of an account of the world; `amount` is in minor
 * units of its currency. It comes over `pin` from `from_iban`, over `sinpe_movil` from `from_phone`; without either,
 * over the rail that `to` is an address of. Name and document of who sent it are made up where they are not given.
 */
export const CreditBody = closed({
  to: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Id, IBAN or phone of an account of the world',
  }),
  amount: SendPaymentBody.properties.amount,
  from_iban: Type.Optional(nullable(Iban)),
  from_phone: Type.Optional(nullable(Phone)),
  name: Type.Optional(described(nullable(Words), 'Who sends the money; made up where it is left out')),
  document_number: Type.Optional(nullable(DocumentNumber)),
  description: Type.Optional(
    described(nullable(Words), 'What it is for; the words of the channel where it is left out'),
  ),
  sinpe_reference: Type.Optional(
    described(
      nullable(SinpeReference),
      'The rail’s reference of the credit, which no other payment of the world has; generated where it is left out',
    ),
  ),
})
export type CreditBody = Static<typeof CreditBody>

/** Exactly one of `after_ms` and `at` says when the money arrives. */
export const ScheduleCreditBody = closed({
  ...CreditBody.properties,
  after_ms: Type.Optional(
    nullable(
      Type.Integer({ minimum: 0, maximum: longestMove, description: 'Milliseconds of the world’s time from now' }),
    ),
  ),
  at: Type.Optional(
    nullable(
      Type.With(Time, {
        description: 'ISO 8601 with a zone, not in the world’s past',
        'x-messages': { pattern: 'The at field must be an ISO 8601 time with its zone, like 2026-01-05T18:00:00Z.' },
      }) as unknown as typeof Time,
    ),
  ),
})
export type ScheduleCreditBody = Static<typeof ScheduleCreditBody>

export const CreditStatus = Type.Enum(['scheduled', 'received', 'returned'], {
  description:
    '`scheduled` is still to come, `received` is a payment of its receiver, `returned` went back to its sender because the account was not active',
})
export type CreditStatus = Static<typeof CreditStatus>

export const ScheduledCredit = Type.Object({
  id: described(Uuid, 'Id of the credit, and of its payment once it is received'),
  status: CreditStatus,
  due_at: described(Timestamp, 'When it arrives, UTC by the clock of the world; later if its rail is offline then'),
  account_id: described(Uuid, 'Id of the account that it goes to'),
  channel: Channel,
  amount: described(Money, 'What arrives'),
  from: described(nullable(Type.String()), 'IBAN or phone of the sender; null: the other bank does not tell it'),
  name: Type.String({ description: 'Name of the sender' }),
  document_number: ShownDocument,
  description: described(nullable(Type.String()), 'What it is for; null: the words of the channel'),
  sinpe_reference: described(
    nullable(Type.String()),
    'The reference that was given: 25 digits; null: generated when the money arrives',
  ),
  state_code: described(
    nullable(Type.String()),
    'Why it was returned: `account_closed`, or `account_blocked` for an inactive account; null for all others',
  ),
  created_at: CreatedAt,
})
export type ScheduledCredit = Static<typeof ScheduledCredit>

export const creditEndpoints = {
  'control.credits.create': endpoint({
    method: 'POST',
    path: '/_emulator/credits',
    summary: 'Let money arrive from another bank',
    description: 'Its receiver gets a payment of type `credit` and the event `transaction.received`.',
    access: 'control',
    body: CreditBody,
    success: { status: 201, message: 'Credit received', data: Payment },
    errors: { ...controlBodyErrors, 409: 'The payment rail is offline' },
  }),
  'control.credits.schedule': endpoint({
    method: 'POST',
    path: '/_emulator/credits/scheduled',
    summary: 'Let money arrive from another bank later',
    description:
      'When it is due by the world’s clock, and its rail is online, it is received as a credit at once would be, with the id of the answer. If the account is not active by then, it is returned to its sender, and nothing is booked.',
    access: 'control',
    body: ScheduleCreditBody,
    success: { status: 201, message: 'Credit scheduled', data: ScheduledCredit },
    errors: controlBodyErrors,
  }),
  'control.credits.list': endpoint({
    method: 'GET',
    path: '/_emulator/credits/scheduled',
    summary: 'Scheduled credits of all accounts, newest first',
    description: 'Those still to come, and those that were received or returned, a page at a time.',
    access: 'control',
    query: PageQuery,
    success: { status: 200, message: 'Scheduled credits listed', data: Page(ScheduledCredit) },
    errors: { ...controlErrors, 422: null },
    list: 'page',
  }),
  'control.credits.cancel': endpoint({
    method: 'DELETE',
    path: '/_emulator/credits/scheduled/{id}',
    summary: 'Cancel a scheduled credit; the answer is what it was',
    description: 'Only one that is still to come. It leaves the list, and its reference can be used again.',
    access: 'control',
    params: Type.Object({ id: described(uuidOf('Credit ID', { field: 'id' }), 'Id of a scheduled credit') }),
    success: { status: 200, message: 'Scheduled credit cancelled', data: ScheduledCredit },
    errors: { ...controlErrors, 404: 'Scheduled credit not found', 409: null, 422: null },
  }),
} as const
