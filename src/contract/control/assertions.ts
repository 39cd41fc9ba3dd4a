import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { Currency, closed, described, minorUnits, nullable, uuidOf } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { DeliveryStatus } from './deliveries.ts'
import { faultEndpointIds } from './faults.ts'
import { BreachKind, LoggedRequest, RequestId } from './requests.ts'
import { WorldName } from './worlds.ts'

/** Maximum number of candidates that an answer shows. */
export const shownCandidates = 10

const times = (otherwise: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: `Exact number of matches; 0 for none. Default: ${otherwise}`,
    }),
  )

export const ReceivedBody = closed({
  endpoint: Type.Enum(faultEndpointIds, { description: 'Id of the endpoint, like `payments.create`' }),
  times: times('at least one'),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Value of `X-Idempotency-Key`' })),
  params: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Path parameters, by name. Other parameters may have any value',
    }),
  ),
  query: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Query parameters, by name. The request may have other parameters',
    }),
  ),
  body: Type.Optional(
    Type.Unknown({
      description:
        'Expected part of the body: objects may have other members, arrays must have the same length. In logged bodies, secrets are `***`',
    }),
  ),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: 'HTTP status of the answer' })),
})
export type ReceivedBody = Static<typeof ReceivedBody>

export const DeliveredBody = closed({
  event: Type.Enum([...eventNames], { description: 'Event of the delivery' }),
  times: times('at least one'),
  payment: Type.Optional(described(uuidOf('Payment ID'), 'Id of the payment that the event reports')),
  subscription: Type.Optional(described(uuidOf('Subscription ID'), 'Id of the subscription')),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'URL of the receiver' })),
  status: Type.Optional(described(DeliveryStatus, 'Status of the delivery. Default: `delivered`')),
  attempts: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Number of attempts so far' })),
})
export type DeliveredBody = Static<typeof DeliveredBody>

export const PaidBody = closed({
  payee: Type.String({ minLength: 1, maxLength: 64, description: 'IBAN or phone number of the payee' }),
  amount: Type.Integer({ ...minorUnits, minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  currency: Type.Optional(described(Currency, 'Currency of the amount. Default: any')),
  times: times('exactly one, because a payment made twice is an error'),
  account: Type.Optional(described(uuidOf('Account ID'), 'Id of the account that pays')),
  status: Type.Optional(
    described(PaymentStatus, 'Status of the payment. Default: `pending`, `processing` or `completed`'),
  ),
})
export type PaidBody = Static<typeof PaidBody>

const Members = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

export const ExpectedDifference = Type.Object({
  path: Type.String({ description: 'Member that differs, like `body.amount`' }),
  expected: Type.Unknown({ description: 'Expected value' }),
  actual: Type.Optional(Type.Unknown({ description: 'Actual value; omitted if there is none' })),
})

/** A request, delivery or payment of the world, with its differences from the expectation. */
export const Candidate = Type.Object({
  id: Type.String({ description: 'Id of the request, delivery or payment' }),
  what: Type.String({ description: 'Description, for people' }),
  actual: Members('Requested members, with the actual values'),
  differences: Type.Array(ExpectedDifference, { description: 'Members that differ; empty for a match' }),
})
export type Candidate = Static<typeof Candidate>

export const Assertion = Type.Object(
  {
    pass: Type.Boolean({ description: 'True if the assertion holds' }),
    message: Type.String({ description: 'Expectation and count of matches, for people' }),
    expected: Members('Requested members'),
    times: nullable(Type.Integer({ description: 'Required number of matches; null for at least one' })),
    matches: Type.Integer({ minimum: 0, description: 'Number of matches' }),
    nearest: Type.Array(Candidate, {
      description: 'At most ten candidates: first the matches, then those nearest to the expectation',
    }),
  },
  { description: 'Result of an assertion' },
)
export type Assertion = Static<typeof Assertion>

export const LedgerAssertion = Type.Object(
  {
    pass: Assertion.properties.pass,
    message: Type.String({ description: 'Result, for people' }),
    problems: Type.Array(Type.String(), {
      description: 'Descriptions of movements, balances, holds and payments that do not add up',
    }),
  },
  { description: 'Result of a check of the ledger' },
)
export type LedgerAssertion = Static<typeof LedgerAssertion>

/** Maximum number of breaches that an answer shows. */
export const shownBreaches = 100

/** A request that broke the contract, in a world or outside any world. */
export const WorldBreach = Type.Object({
  world: described(WorldName, 'Name of the world that the request was sent to'),
  request: described(nullable(RequestId), 'Id of the request in that world; null after the end of the world'),
  method: LoggedRequest.properties.method,
  path: LoggedRequest.properties.path,
  status: LoggedRequest.properties.status,
  kind: Type.Enum([...BreachKind.enum, 'default_world', 'late'], {
    description:
      'Kind of breach; `default_world`: the request named no world while there were several; `late`: the world of the request had ended',
  }),
  what: Type.String({ description: 'Description of the breach, without values of the request' }),
})
export type WorldBreach = Static<typeof WorldBreach>

export const WorldBreaches = Type.Object(
  {
    strict: Type.Boolean({ description: 'True if a test that uses the world should fail because of a breach' }),
    count: Type.Integer({ minimum: 0, description: 'Number of breaches' }),
    first: Type.Array(WorldBreach, { description: 'First hundred breaches' }),
  },
  { description: 'Breaches of the contract' },
)
export type WorldBreaches = Static<typeof WorldBreaches>

export const assertionEndpoints = {
  'control.assertions.received': controlEndpoint({
    method: 'POST',
    path: '/_emulator/assertions/received',
    summary: 'Check which requests the world has received',
    description:
      'Counts the requests to an endpoint in the world’s log, which has the latest requests since the world was made, reset or opened. If the log has dropped requests to the endpoint, an exact number never passes. The answer is 200 even if the assertion fails: read `pass`.',
    body: ReceivedBody,
    success: { status: 200, message: 'Assertion checked', data: Assertion },
    checksOnly: true,
  }),
  'control.assertions.delivered': controlEndpoint({
    method: 'POST',
    path: '/_emulator/assertions/delivered',
    summary: 'Check which events the world has delivered',
    description:
      'Counts deliveries since the world was made, reset or opened, one for each event and subscription. The answer is 200 even if the assertion fails: read `pass`.',
    body: DeliveredBody,
    success: { status: 200, message: 'Assertion checked', data: Assertion },
    checksOnly: true,
  }),
  'control.assertions.paid': controlEndpoint({
    method: 'POST',
    path: '/_emulator/assertions/paid',
    summary: 'Check that a payee was paid an amount, once',
    description:
      'Counts outgoing payments since the world was made, reset or opened. Without `status`, counts only payments that moved the money or still may: `pending`, `processing` and `completed`. The answer is 200 even if the assertion fails: read `pass`.',
    body: PaidBody,
    success: { status: 200, message: 'Assertion checked', data: Assertion },
    checksOnly: true,
  }),
  'control.assertions.balanced': controlEndpoint({
    method: 'GET',
    path: '/_emulator/assertions/balanced',
    summary: 'Check that the ledger adds up',
    description:
      'Checks that every movement sums to zero, that every balance is the sum of its entries, that the held money equals the money of payments in progress, and that each payment has the ledger entries that its status requires.',
    success: { status: 200, message: 'Assertion checked', data: LedgerAssertion },
  }),
  'control.breaches': controlEndpoint({
    method: 'GET',
    path: '/_emulator/breaches',
    summary: 'Requests that broke the contract since the world was made or opened',
    description:
      'For a world other than the default world, includes requests that named no world, and requests to ended worlds, if they came while this world was live. A reset does not remove breaches. A request that breaks the contract gets the service’s usual answer: a strict world only asks its test to fail.',
    success: { status: 200, message: 'Breaches listed', data: WorldBreaches },
  }),
} as const
