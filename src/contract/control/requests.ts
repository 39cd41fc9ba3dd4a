import { type Static, Type } from 'typebox'
import { Page, pageQuery } from '../schemas/envelope.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { described, Money, nullable, Timestamp, Uuid, uuidPattern } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { Delivery } from './deliveries.ts'
import { longestWait } from './wait.ts'

const requestPattern = '^r[1-9]\\d{0,14}$'

export const RequestId = Type.String({
  pattern: requestPattern,
  'x-messages': { pattern: 'The id of a request must be r and a number, like r12.' },
  description: 'Id of a request in its world: `r1` is the first request that was answered',
})

/**
 * Ways in which a request can break the contract: an unknown path, method or media type; a body that is too large or
 * not JSON; a payment without a key; values that the table does not allow; unknown members, which are ignored; a key
 * reused for another payment; a token of another world; a resource of another user.
 */
export const BreachKind = Type.Enum(
  [
    'unknown_path',
    'wrong_method',
    'media_type',
    'too_large',
    'malformed',
    'missing_key',
    'invalid',
    'unknown_member',
    'key_reused',
    'other_world',
    'other_user',
  ],
  { description: 'Kind of breach, such as `invalid` for values that the interface does not allow' },
)
export type BreachKind = Static<typeof BreachKind>

export const Breach = Type.Object({
  kind: BreachKind,
  what: Type.String({ description: 'Description of the breach, without values of the request' }),
})
export type Breach = Static<typeof Breach>

/**
 * A request to a world, answered or lost. `at` follows the world's clock, to the millisecond; `duration_ms` is real
 * time.
 */
export const LoggedRequest = Type.Object({
  id: described(RequestId, 'Id of the request in its world, numbered in the order of the answers: `r1` is the first'),
  at: Type.String({ ...Timestamp, description: 'Time of the request, by the clock of the world' }),
  duration_ms: Type.Integer({ description: 'Milliseconds of real time until the answer' }),
  method: Type.String({ description: 'HTTP method' }),
  path: Type.String({ description: 'Path without the query and without the prefix of the world' }),
  query: Type.Record(Type.String(), Type.String(), {
    description: 'Query parameters that the endpoint documents; others are left out',
  }),
  endpoint: Type.Union([Type.String(), Type.Null()], {
    description: 'Id of the endpoint; null if no endpoint has this path',
  }),
  status: described(
    nullable(Type.Integer()),
    'HTTP status of the answer; null without an answer, as after a reset of the connection',
  ),
  answered: Type.Boolean({
    description: 'False if the answer was not sent completely: because of a fault, or because the client disconnected',
  }),
  user: Type.Union([Uuid, Type.Null()], {
    description: 'Id of the token’s user; null on a public endpoint, or without a valid token',
  }),
  client: Type.Union([Type.String(), Type.Null()], {
    description: 'OAuth client of the token, or `dashboard`; null without a user',
  }),
  idempotency_key: described(nullable(Type.String()), 'Value of `X-Idempotency-Key`; null if the request has none'),
  replayed: Type.Boolean({
    description: 'True if the answer repeats the answer to the first request with the same key',
  }),
  fault: Type.Union([Type.String(), Type.Null()], {
    description: 'Fault that happened to the request; null without a fault',
  }),
  message: Type.Union([Type.String(), Type.Null()], { description: 'Message of the error; null without an error' }),
  payment_id: Type.Union([Uuid, Type.Null()], {
    description: 'Id of the payment that the request made, or that its answer contains',
  }),
  broke: Type.Array(Breach, { description: 'Breaches of the contract' }),
})
export type LoggedRequest = Static<typeof LoggedRequest>

/** One side of a movement of money: minor units added to a ledger account, which may be one of the emulator’s. */
export const LedgerEntry = Type.Object({
  at: described(Timestamp, 'Time of booking, UTC by the clock of the world'),
  movement: Type.Enum(['funding', 'hold', 'capture', 'release', 'credit'], {
    description:
      'Kind of movement: `funding` by a seed or by setting a balance; `hold`, then `capture` or `release` for a payment; `credit` for money from another bank',
  }),
  owner: Type.String({ description: 'Owner: an account, a rail, or `emulator`' }),
  purpose: Type.Enum(['available', 'held', 'rail', 'fees', 'funding'], {
    description: 'Ledger account of the owner',
  }),
  amount: Money,
})
export type LedgerEntry = Static<typeof LedgerEntry>

/** Effects so far of the payment that a request made. */
export const Caused = Type.Object({
  payments: Type.Array(Type.Object({ id: described(Uuid, 'Permanent id of the payment'), status: PaymentStatus }), {
    description: 'Payment that the request made, if any',
  }),
  entries: Type.Array(LedgerEntry, { description: 'Ledger entries of the payment so far, oldest first' }),
  deliveries: Type.Array(Delivery, { description: 'Deliveries of the payment’s events to subscriptions' }),
})
export type Caused = Static<typeof Caused>

/**
 * Hidden in `body`: the header values for webhook receivers, and all OAuth parameters except `grant_type`, `client_id`,
 * `redirect_uri` and `scope`.
 */
export const RequestDetail = Type.Object({
  ...LoggedRequest.properties,
  body: Type.Optional(
    Type.Unknown({
      description: 'Body of the request, with secrets hidden; omitted if its length was unknown or more than 4 KiB',
    }),
  ),
  errors: Type.Record(Type.String(), Type.Unknown(), { description: 'Errors of the answer, by field' }),
  caused: described(Caused, 'Effects of the request so far'),
})
export type RequestDetail = Static<typeof RequestDetail>

const requestNumber = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

export const RequestsQuery = Type.Object({
  ...pageQuery,
  since: requestNumber(
    'Only requests after this number, oldest first: pass `last` of the previous answer. Without `since`, newest first',
  ),
  before: requestNumber('Only requests before this number, so that new requests do not move the pages'),
  endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Id of an endpoint' })),
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5](\\d\\d|xx)$',
      'x-messages': { pattern: 'The status must be a number like 422 or a class like 4xx.' },
      description: 'Status like 422, or a class of statuses like 4xx',
    }),
  ),
  wait_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: longestWait,
      description: 'Longest wait for a request if there is none yet, in milliseconds of real time',
    }),
  ),
})
export type RequestsQuery = Static<typeof RequestsQuery>

export const RequestPage = Type.Object(
  {
    ...Page(LoggedRequest).properties,
    last: Type.Integer({
      minimum: 0,
      description:
        'Value of `since` for the next page: the number of the newest request, or of the last request on this page if more follow',
    }),
    dropped: Type.Integer({
      minimum: 0,
      description: 'Number of requests that the log has dropped: the requests up to this number',
    }),
  },
  { description: 'Page of the request log' },
)
export type RequestPage = Static<typeof RequestPage>

export const TimelineEntry = Type.Object({
  at: described(Timestamp, 'Time, UTC by the clock of the world'),
  kind: Type.Enum(['request', 'status', 'entry', 'event', 'delivery', 'clock'], {
    description:
      'Kind of entry: a request, a new status of a payment, a ledger entry, an event, a delivery, or a move of the clock',
  }),
  id: described(nullable(Type.String()), 'Id of the request, event or delivery; null for other kinds'),
  what: Type.String({ description: 'Description, for people' }),
  status: Type.Union([Type.String(), Type.Null()], {
    description: 'New status of the payment, or status of the answer to a request or delivery',
  }),
  amount: nullable(Money),
  duration_ms: nullable(
    Type.Integer({ description: 'Duration of a request or an attempt, in milliseconds of real time' }),
  ),
})
export type TimelineEntry = Static<typeof TimelineEntry>

export const Story = Type.Object({
  text: Type.String({ description: 'Lines of the story, with a line feed at the end' }),
})

const timelineParams = Type.Object({
  id: Type.String({
    pattern: `${requestPattern}|${uuidPattern}`,
    'x-messages': { pattern: 'The id must be the id of a request, like r12, or of a payment.' },
    description: 'Id of a request, like r12, or of a payment',
  }),
})

export const requestEndpoints = {
  'control.requests.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/requests',
    summary: 'Requests to the world, newest first, with breaches of the contract',
    description:
      'The log of each world has a limited size and no secrets. `since` lists the oldest first; `wait_ms` waits for the next request.',
    query: RequestsQuery,
    success: { status: 200, message: 'Requests listed', data: RequestPage },
    errors: { 422: null },
    list: 'page',
  }),
  'control.requests.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/requests/{id}',
    summary: 'One request with its body and its effects so far',
    description:
      'Includes breaches of the contract, and the payment, ledger entries and deliveries that the request caused.',
    params: Type.Object({ id: RequestId }),
    success: { status: 200, message: 'Request read', data: RequestDetail },
    errors: { 404: 'Request not found', 422: null },
  }),
  'control.timeline': controlEndpoint({
    method: 'GET',
    path: '/_emulator/timeline/{id}',
    summary: 'Timeline of a payment or a request',
    description: 'Requests, statuses, ledger entries, events, deliveries and moves of the clock, oldest first.',
    params: timelineParams,
    success: { status: 200, message: 'Timeline read', data: Type.Array(TimelineEntry) },
    errors: { 404: null, 422: null },
  }),
  'control.story': controlEndpoint({
    method: 'GET',
    path: '/_emulator/story',
    summary: 'Text of everything that happened in the world, the same in each run',
    description:
      'Requests with the payments, ledger entries, events and deliveries that they caused, and moves of the clock. Ids are numbered by first appearance and times are relative to the start of the world, so the text is the same in each run: compare it with a stored text. Waits for deliveries that are due, at most 10 seconds.',
    success: { status: 200, message: 'Story written', data: Story },
  }),
} as const
