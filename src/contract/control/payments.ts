import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { FailureText, StateCode } from '../events.ts'
import { Account, AccountParams, AccountStatus } from '../schemas/account.ts'
import { Page, PageQuery, pageQuery } from '../schemas/envelope.ts'
import { Channel, Payment, PaymentParams, PaymentStatus, TransferType } from '../schemas/payment.ts'
import { closed, described, Money, nullable, Time, Timestamp, Uuid } from '../schemas/scalars.ts'
import { longestMove } from './clock.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { Delivery } from './deliveries.ts'
import { Outcome } from './registry.ts'
import { LedgerEntry, RequestId } from './requests.ts'

export const MovePaymentBody = closed({
  to: described(PaymentStatus, 'Status that the payment can reach, if necessary through `processing`'),
  state_code: Type.Optional(described(nullable(StateCode), 'Code of the failure, only with `failed`')),
  error: Type.Optional(described(nullable(FailureText), 'Human-readable reason for the failure; only with `failed`')),
  after_ms: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: longestMove,
        description: 'Delay in milliseconds of the world’s time. Default: 0',
      }),
    ),
  ),
})

export const SetAccountBody = closed({
  status: Type.Optional(AccountStatus),
  balance: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000_000_000_000,
      description: 'Available balance in minor units, without money held for payments in progress',
    }),
  ),
})

/** A payment of any user, with facts that only the emulator knows. */
export const EmulatedPayment = Type.Object(
  {
    ...Payment.properties,
    user_id: described(Uuid, 'Id of the user who pays or, for a credit, is paid'),
    account_id: described(Uuid, 'Id of the user’s account that pays or is paid'),
    outcome: described(Outcome, 'Outcome that the payment has or will have'),
    due_at: described(nullable(Timestamp), 'Time of the next step, by the clock of the world; null if no step is due'),
  },
  { description: 'A payment of any user' },
)
export type EmulatedPayment = Static<typeof EmulatedPayment>

export const EmulatedAccount = Type.Object(
  {
    ...Account.properties,
    user_id: described(Uuid, 'Permanent id of the owner, as in the list of users'),
    held: described(Money, 'Money held for payments in progress; it is not part of the balance'),
  },
  { description: 'An account of any user' },
)
export type EmulatedAccount = Static<typeof EmulatedAccount>

const statusList = `(${PaymentStatus.enum.join('|')})`

export const PaymentsQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(
    Type.String({
      pattern: `^${statusList}(,${statusList})*$`,
      'x-messages': {
        pattern: `The status must be one or more of ${PaymentStatus.enum.join(', ')}, separated by commas.`,
      },
      description: 'One status, or several separated by commas: `pending,processing`',
    }),
  ),
  channel: Type.Optional(Channel),
  transfer_type: Type.Optional(TransferType),
  account: Type.Optional(described(Uuid, 'Id of the account that pays or is paid')),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Part of an id, key, reference, IBAN, phone, document number, name, description or error; or an amount like 1500.25',
    }),
  ),
  from: Type.Optional(described(Time, 'Only payments made at this time or later: ISO 8601 with a zone')),
  to: Type.Optional(described(Time, 'Only payments made before this time: ISO 8601 with a zone')),
  before: Type.Optional(
    described(Uuid, 'Only payments older than the payment with this id, so that new payments do not move the pages'),
  ),
})
export type PaymentsQuery = Static<typeof PaymentsQuery>

const { movement, owner, purpose, amount } = LedgerEntry.properties

const EventName = Type.Enum(eventNames, { description: 'Name of the event' })

/** A step that a payment can take, and everything that the step causes. */
export const NextStep = Type.Object(
  {
    to: Type.Enum([...PaymentStatus.enum, 'returned'], {
      description: 'Status that the payment reaches; `returned`: the other bank sends the money back',
    }),
    due_at: described(
      nullable(Timestamp),
      'Time when the step happens by itself, by the clock of the world; null if it happens only on demand',
    ),
    statuses: Type.Array(PaymentStatus, {
      description: 'Statuses that the step passes through, including the last; empty for a return',
    }),
    entries: Type.Array(Type.Object({ movement, owner, purpose, amount }), {
      description: 'Ledger entries that the step books',
    }),
    balances: Type.Array(
      Type.Object({
        owner,
        purpose,
        before: described(Money, 'Present balance'),
        after: described(Money, 'Balance after the step'),
      }),
      { description: 'Balances that the step changes' },
    ),
    events: Type.Array(
      Type.Object({
        event: EventName,
        deliveries: Type.Integer({ minimum: 0, description: 'Number of subscriptions that get the event' }),
      }),
      { description: 'Events that the step causes; an event without a subscription is not stored' },
    ),
    call: Type.Object(
      {
        endpoint: Type.Enum(['control.payments.move', 'control.payments.return'], {
          description: 'Id of the endpoint',
        }),
        method: Type.Literal('POST', { description: 'HTTP method' }),
        path: Type.String({ description: 'Path of the endpoint with the id of the payment' }),
        body: described(
          nullable(Type.Object({ to: PaymentStatus })),
          'Body of the request; null if the request has no body',
        ),
        options: Type.Array(Type.String(), { description: 'Names of other members that the body can have' }),
      },
      { description: 'Request that takes the step now' },
    ),
  },
  { description: 'A step that the payment can take' },
)
export type NextStep = Static<typeof NextStep>

export const PaymentStory = Type.Object({
  ...EmulatedPayment.properties,
  statuses: Type.Array(
    Type.Object({ status: PaymentStatus, at: described(Timestamp, 'Time, UTC by the clock of the world') }),
    { description: 'Statuses so far, oldest first' },
  ),
  held: described(Money, 'Amount and fee that the payer’s account still holds for the payment'),
  entries: Type.Array(LedgerEntry, { description: 'Ledger entries so far, oldest first' }),
  events: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Number of the event in the world' }),
      event: EventName,
      at: described(Timestamp, 'Time, UTC by the clock of the world'),
    }),
    { description: 'Events so far, oldest first' },
  ),
  deliveries: Type.Array(Delivery, { description: 'Deliveries of the payment’s events to subscriptions' }),
  requests: Type.Array(RequestId, {
    description: 'Requests that made or read the payment or repeated its key, oldest first, as far as the log has them',
  }),
  returned_by: described(
    nullable(Uuid),
    'Id of the credit that returned the payment; null if the payment was not returned',
  ),
  next: Type.Array(NextStep, { description: 'Steps that the payment can take now; automatic steps first' }),
})
export type PaymentStory = Static<typeof PaymentStory>

const notFound = 'Account not found'

export const paymentEndpoints = {
  'control.payments.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/payments',
    summary: 'Payments of all users, newest first',
    description: 'Lists payments that meet all conditions. Received money is listed too.',
    query: PaymentsQuery,
    success: { status: 200, message: 'Payments listed', data: Page(EmulatedPayment) },
    errors: { 422: null },
    list: 'page',
  }),
  'control.payments.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/payments/{id}',
    summary: 'A payment of any user, with its history and possible next steps',
    description:
      'Statuses, ledger entries, events and deliveries so far. Each next step has its effects, the time when it happens by itself, and the request that takes it now.',
    params: PaymentParams,
    success: { status: 200, message: 'Payment read', data: PaymentStory },
    errors: { 404: 'Payment not found', 422: null },
  }),
  'control.payments.move': controlEndpoint({
    method: 'POST',
    path: '/_emulator/payments/{id}/move',
    summary: 'Move a payment to a status that it can reach, now or later',
    description:
      'Follows legal transitions, with all events on the way. The answer is 409, with the legal statuses, if the transition is illegal.',
    params: PaymentParams,
    body: MovePaymentBody,
    success: { status: 200, message: 'Payment moved', data: Payment },
    errors: { 404: 'Payment not found', 409: null },
  }),
  'control.payments.return': controlEndpoint({
    method: 'POST',
    path: '/_emulator/payments/{id}/return',
    summary: 'Make the other bank return a completed payment',
    description:
      'The payer is credited with the amount, without the fee. The credit has the SINPE reference of the payment in its description and causes `transaction.received`. The payment stays completed. The answer is 409 if the payment was received, is not completed, was returned before, or went to an account of the emulator, if the payer’s account is not active, or if the rail is offline.',
    params: PaymentParams,
    success: { status: 201, message: 'Payment returned', data: Payment },
    errors: { 404: 'Payment not found', 409: null, 422: null },
  }),
  'control.accounts.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/accounts',
    summary: 'Accounts of all users, oldest first',
    description: 'Each account with its user, its balance, and the money that it holds for payments in progress.',
    query: PageQuery,
    success: { status: 200, message: 'Accounts listed', data: Page(EmulatedAccount) },
    errors: { 422: null },
    list: 'page',
  }),
  'control.accounts.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/accounts/{id}',
    summary: 'An account of any user',
    description: 'Unlike the service’s own endpoint, this one finds the accounts of every user.',
    params: AccountParams,
    success: { status: 200, message: 'Account read', data: Account },
    errors: { 404: notFound, 422: null },
  }),
  'control.accounts.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/accounts/{id}',
    summary: 'Set the status or the balance of an account',
    description: 'The balance changes by a ledger entry with a counter-entry, so that the ledger still balances.',
    params: AccountParams,
    body: SetAccountBody,
    success: { status: 200, message: 'Account set', data: Account },
    errors: { 404: notFound },
  }),
} as const
