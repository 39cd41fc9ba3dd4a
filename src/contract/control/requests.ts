import { type Static, Type } from 'typebox'
import { Page, pageQuery } from '../schemas/envelope.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { described, Money, nullable, Timestamp, Uuid, uuidPattern } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { Delivery } from './deliveries.ts'
import { longestWait } from './wait.ts'

const requestPattern = '^r[1-9]\\d{0,14}$'

/** Number of a request in its world, in the order of the answers: `r1`, `r2`, ... */
export const RequestId = Type.String({
  pattern: requestPattern,
  'x-messages': { pattern: 'The id of a request is r and its number, like r12.' },
  description: 'Numbers a request of its world: `r1` is the first that was answered',
})

/**
 * Ways in which a request can break the contract: an unknown path, method or media type; a body that is too large or
 * not JSON; a payment without a key; values that the table does not allow; unknown members, which are ignored; a key
 * reused for another payment.
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
  ],
  { description: 'How a request broke the contract' },
)
export type BreachKind = Static<typeof BreachKind>

export const Breach = Type.Object({
  kind: BreachKind,
  what: Type.String({ description: 'In words, without values of the request' }),
})
export type Breach = Static<typeof Breach>

/** A request to a world, answered or lost. Times are the world's, to the millisecond. */
export const LoggedRequest = Type.Object({
  id: described(RequestId, 'Numbers the request within its world: `r1` is the first'),
  at: Type.String({ ...Timestamp, description: 'When it came, by the clock of the world' }),
  duration_ms: Type.Integer({ description: 'Real time until it was answered' }),
  method: Type.String({ description: 'HTTP method' }),
  path: Type.String({ description: 'Without the query and the prefix of the world' }),
  query: Type.Record(Type.String(), Type.String(), { description: 'The parameters that the endpoint has' }),
  endpoint: Type.Union([Type.String(), Type.Null()], { description: 'Null where no endpoint has such a path' }),
  status: described(nullable(Type.Integer()), 'HTTP status of the answer; null where there was none, as after a reset'),
  answered: Type.Boolean({ description: 'False if the answer never left whole: a fault, or the client had gone' }),
  user: Type.Union([Uuid, Type.Null()], { description: 'Whose token it brought' }),
  client: Type.Union([Type.String(), Type.Null()], { description: 'The OAuth client of the token, or `dashboard`' }),
  idempotency_key: described(nullable(Type.String()), 'The key that came in `X-Idempotency-Key`; null if none did'),
  replayed: Type.Boolean({ description: 'Whether it was answered as the first request with its key' }),
  fault: Type.Union([Type.String(), Type.Null()], { description: 'What a rule for faults had happen to it' }),
  message: Type.Union([Type.String(), Type.Null()], { description: 'Of the error it was answered with' }),
  payment_id: Type.Union([Uuid, Type.Null()], { description: 'The payment that it made, or was answered with' }),
  broke: Type.Array(Breach, { description: 'What broke the contract' }),
})
export type LoggedRequest = Static<typeof LoggedRequest>

/** One leg of a money movement: minor units added to a ledger account, which may be one of the emulator’s own. */
export const LedgerEntry = Type.Object({
  at: described(Timestamp, 'When it was booked, UTC by the clock of the world'),
  movement: Type.Enum(['funding', 'hold', 'capture', 'release', 'credit'], {
    description:
      'What moves the money: seeds fund, payments hold, then capture or release, money from outside is a credit',
  }),
  owner: Type.String({ description: 'An account, a rail, or `emulator`' }),
  purpose: Type.Enum(['available', 'held', 'rail', 'fees', 'funding'], {
    description: 'Which of the owner’s ledger accounts',
  }),
  amount: Money,
})
export type LedgerEntry = Static<typeof LedgerEntry>

/** Effects so far of the payment that a request made. */
export const Caused = Type.Object({
  payments: Type.Array(Type.Object({ id: described(Uuid, 'Names the payment for good'), status: PaymentStatus }), {
    description: 'The payment that the request made, if it made one',
  }),
  entries: Type.Array(LedgerEntry, { description: 'Movements of its money so far, oldest first' }),
  deliveries: Type.Array(Delivery, { description: 'Its events on their way to subscriptions' }),
})
export type Caused = Static<typeof Caused>

/**
 * `body`: the sent body with secrets hidden: the header values for webhook receivers, and all OAuth parameters except
 * `grant_type`, `client_id`, `redirect_uri` and `scope`. Omitted if it was longer than 4 KiB.
 */
export const RequestDetail = Type.Object({
  ...LoggedRequest.properties,
  body: Type.Optional(
    Type.Unknown({ description: 'What was sent, with secrets hidden; left out where it was longer than 4 KiB' }),
  ),
  errors: Type.Record(Type.String(), Type.Unknown(), { description: 'Those of the answer, by field' }),
  caused: described(Caused, 'Result so far'),
})
export type RequestDetail = Static<typeof RequestDetail>

const requestNumber = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

/**
 * `since` and `before`: numbers of requests. New requests do not move the items of pages with either. `status`: one
 * status, like 422, or a class, like 4xx. `wait_ms`: if the list is empty, the answer waits for the next request, in
 * real time.
 */
export const RequestsQuery = Type.Object({
  ...pageQuery,
  since: requestNumber(
    'Only requests after this number, oldest first: give `last` of the answer before. Without it, newest first',
  ),
  before: requestNumber('Only requests before this number: later ones do not move the pages'),
  endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The id of an endpoint' })),
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5](\\d\\d|xx)$',
      'x-messages': { pattern: 'A status is like 422, a class of them like 4xx.' },
      description: 'One status, like 422, or a class, like 4xx',
    }),
  ),
  wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: longestWait, description: 'Milliseconds of real time' })),
})
export type RequestsQuery = Static<typeof RequestsQuery>

/**
 * A page of requests. `last`: the number to continue from. `dropped`: number of requests that no longer fit into the
 * log.
 */
export const RequestPage = Type.Object(
  {
    ...Page(LoggedRequest).properties,
    last: Type.Integer({
      minimum: 0,
      description:
        'What `since` takes to go on from here: the number of the newest request, or of the last on this page if more follow it',
    }),
    dropped: Type.Integer({
      minimum: 0,
      description: 'How many requests the log has forgotten, as it is bounded: those with this number and lower ones',
    }),
  },
  { description: 'One page of the request log' },
)
export type RequestPage = Static<typeof RequestPage>

/** One event in the timeline. `id`: of the request, event or delivery. */
export const TimelineEntry = Type.Object({
  at: described(Timestamp, 'When it happened, UTC by the clock of the world'),
  kind: Type.Enum(['request', 'status', 'entry', 'event', 'delivery', 'clock'], {
    description:
      'What happened: a request came, a payment changed its status, money was booked, an event was sent, time was moved',
  }),
  id: described(nullable(Type.String()), 'Of the request, event or delivery; null for all else'),
  what: Type.String({ description: 'In words' }),
  status: Type.Union([Type.String(), Type.Null()], {
    description: 'Of a payment from then on, or that of an answer to a request or a delivery',
  }),
  amount: nullable(Money),
  duration_ms: nullable(Type.Integer({ description: 'Real time that a request or an attempt took' })),
})
export type TimelineEntry = Static<typeof TimelineEntry>

const timelineParams = Type.Object({
  id: Type.String({
    pattern: `${requestPattern}|${uuidPattern}`,
    'x-messages': { pattern: 'Give the id of a request, like r12, or of a payment.' },
    description: 'Id of a request, like r12, or of a payment',
  }),
})

export const requestEndpoints = {
  'control.requests.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/requests',
    summary: 'Requests that the world got, newest first, with what broke the contract',
    description:
      'The log of each world is bounded, and has no secrets. With `since` the oldest come first, and with `wait_ms` the log can be followed.',
    query: RequestsQuery,
    success: { status: 200, message: 'Requests listed', data: RequestPage },
    errors: { 422: null },
    list: 'page',
  }),
  'control.requests.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/requests/{id}',
    summary: 'One request with its body, and what it caused by now',
    description: 'With it what broke the contract, and the payment, entries and deliveries it led to.',
    params: Type.Object({ id: RequestId }),
    success: { status: 200, message: 'Request read', data: RequestDetail },
    errors: { 404: 'Request not found', 422: null },
  }),
  'control.timeline': controlEndpoint({
    method: 'GET',
    path: '/_emulator/timeline/{id}',
    summary: 'What happened to a payment, or because of a request, in the order of time',
    description: 'One story out of requests, statuses, money, events and deliveries.',
    params: timelineParams,
    success: { status: 200, message: 'Timeline read', data: Type.Array(TimelineEntry) },
    errors: { 404: null, 422: null },
  }),
} as const
