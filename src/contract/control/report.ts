import { type Static, type TSchema, Type } from 'typebox'
import { killMoments } from '../emulator_names.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { described, Money, nullable, Timestamp, Uuid } from '../schemas/scalars.ts'
import { WorldBreach } from './assertions.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { Delivery } from './deliveries.ts'
import { ChaosState, FaultRule } from './faults.ts'
import { Breach, RequestId, TimelineEntry } from './requests.ts'
import { LateRequest, WorldName } from './worlds.ts'

/** Maximum number of findings of a kind to store in full; all further findings are only counted. */
export const keptFindings = 100

const Findings = <S extends TSchema>(finding: S) =>
  Type.Object({
    count: Type.Integer({ minimum: 0, description: 'Number of findings' }),
    first: Type.Array(finding, { description: 'First hundred findings' }),
  })

export interface Findings<T> {
  count: number
  first: T[]
}

const world = { world: described(WorldName, 'Name of the world') }
/** World of a finding about how callers handled faults. */
const troubledWorld = {
  ...world,
  rng_stream: Type.Optional(
    Type.String({
      description:
        'Stream of the world’s random draws, as in the list of faults. Omitted for the default world, and for a world with its own chaos or without chaos',
    }),
  ),
}
const request = {
  ...world,
  request: RequestId,
  method: Type.String({ description: 'HTTP method' }),
  path: Type.String({ description: 'Path without the query and without the prefix of the world' }),
}

/** A request that broke the contract; one entry for each violation. */
export const BrokenRequest = Type.Object({
  ...request,
  status: described(nullable(Type.Integer()), 'HTTP status of the answer; null without an answer'),
  ...Breach.properties,
})
export type BrokenRequest = Static<typeof BrokenRequest>

/** A read that one user repeated without other requests in between, with the same answer each time. */
export const PolledRead = Type.Object({
  ...request,
  times: Type.Integer({ minimum: 2, description: 'Number of identical reads in a row' }),
})
export type PolledRead = Static<typeof PolledRead>

/** A delivery that its receiver did not accept: no attempt received a 2xx. */
export const UntakenDelivery = Type.Object({
  ...world,
  id: Delivery.properties.id,
  url: Type.String({ description: 'URL of the receiver' }),
  event: Delivery.properties.event,
  status: Delivery.properties.status,
  attempts: Type.Integer({ description: 'Number of attempts' }),
  error: described(
    nullable(Type.String()),
    'Reason for the failure of the last attempt; null if the receiver accepted that attempt',
  ),
})
export type UntakenDelivery = Static<typeof UntakenDelivery>

/** A payment that has not ended, or that had not ended when its world ended. */
export const UnfinishedPayment = Type.Object({
  ...world,
  id: described(Uuid, 'Permanent id of the payment'),
  status: PaymentStatus,
  amount: Money,
})
export type UnfinishedPayment = Static<typeof UnfinishedPayment>

export const UnfiredFault = Type.Object({ ...world, ...FaultRule.properties })
export type UnfiredFault = Static<typeof UnfiredFault>

/** A request to the default world that named no world, while the emulator had other worlds. */
export const UnnamedWorld = Type.Object(request)
export type UnnamedWorld = Static<typeof UnnamedWorld>

export const LateToWorld = Type.Object({ ...world, ...LateRequest.properties })

/**
 * Two payments of one order (the same payer, payee, currency and description, and the same amount except for rounding)
 * with different keys; neither payment failed. `answer_lost`: the second payment was made at most twelve hours after the
 * first by the world's clock, before any complete answer had reported the first payment to the caller.
 * `delivered_twice`: the same event was delivered twice, and one of the payments was made after each delivery. `killed`:
 * one payment was made before chaos killed the program, and the other after the restart.
 */
export const PaidTwice = Type.Object({
  ...troubledWorld,
  because: Type.Enum(['answer_lost', 'delivered_twice', 'killed'], {
    description:
      '`answer_lost`: the answer to the first payment was lost, and no other answer had reported the payment to its caller; `delivered_twice`: one payment was made after each delivery of one event; `killed`: one payment was made before the program was killed, one after the program was started again',
  }),
  payments: Type.Array(Uuid, { minItems: 2, maxItems: 2, description: 'Ids of both payments, in order' }),
  requests: Type.Array(RequestId, {
    minItems: 2,
    maxItems: 2,
    description: 'Ids of the requests that made the two payments',
  }),
  payee: Type.String({ description: 'IBAN or phone of the payee' }),
  amount: described(Money, 'Amount of the second payment; the amount of the first may differ by rounding'),
  timeline: Type.Array(TimelineEntry, {
    description: 'Requests with the keys of both payments, statuses and deliveries, oldest first',
  }),
})
export type PaidTwice = Static<typeof PaidTwice>

/**
 * Two payments that may be one order that was paid twice; the answer to the first payment was lost.
 * `other_description`: the payments differ only in their descriptions, and were made within ten minutes by the world's
 * clock. `after_delivery`: the payments are equal, but the second was made at least a minute after a receiver accepted
 * a delivery about the first.
 */
export const Suspected = Type.Object({
  ...troubledWorld,
  because: Type.Enum(['other_description', 'after_delivery'], {
    description:
      '`other_description`: the payments differ only in their descriptions; `after_delivery`: the payments are equal, but a receiver had accepted a delivery about the first',
  }),
  payments: PaidTwice.properties.payments,
  requests: PaidTwice.properties.requests,
  payee: PaidTwice.properties.payee,
  amount: PaidTwice.properties.amount,
  ignored: Type.Boolean({
    description:
      'True if nobody ever looked up the first payment or learned of it from a delivery, and the second was the next payment of the same user',
  }),
})
export type Suspected = Static<typeof Suspected>

/** A delivery that arrived twice; after each arrival the same user made the same write. */
export const HandledTwice = Type.Object({
  ...troubledWorld,
  id: Delivery.properties.id,
  url: UntakenDelivery.properties.url,
  event: Delivery.properties.event,
  method: request.method,
  path: request.path,
  requests: Type.Array(RequestId, {
    minItems: 2,
    maxItems: 2,
    description: 'Ids of the two requests that wrote, in order',
  }),
})
export type HandledTwice = Static<typeof HandledTwice>

/** A payment that no complete answer ever reported to the caller. */
export const UnresolvedPayment = Type.Object({
  ...request,
  ...troubledWorld,
  payment: described(Uuid, 'Id of the payment'),
  amount: Money,
  world_ended: Type.Boolean({
    description: 'True if the payment’s world ended or was reset, perhaps before the caller could look the payment up',
  }),
})
export type UnresolvedPayment = Static<typeof UnresolvedPayment>

/**
 * A payment that was never made: chaos killed the program at the request for the payment, and no later request made the
 * payment.
 */
export const NeverPaid = Type.Object({
  ...request,
  ...troubledWorld,
  payee: Type.String({ description: 'IBAN or phone of the payee' }),
  amount: Money,
})
export type NeverPaid = Static<typeof NeverPaid>

const Kill = Type.Object({
  ...request,
  moment: Type.Enum(killMoments, {
    description:
      '`before_work`: nothing was done; `before_answer`: the work was done, the answer not sent; `after_answer`: the answer was sent',
  }),
  run: Type.Integer({ minimum: 1, description: 'Number of the program run that the kill ended' }),
})
export type Kill = Static<typeof Kill>

export const EndpointUse = Type.Object({
  endpoint: Type.String({ description: 'Id of the endpoint, like `payments.create`' }),
  method: Type.String({ description: 'HTTP method' }),
  path: Type.String({ description: 'Path of the endpoint, with its parameters in braces' }),
  requests: Type.Integer({ minimum: 0, description: 'Number of requests' }),
  statuses: Type.Array(
    Type.Object({
      status: Type.Integer({ description: 'HTTP status' }),
      requests: Type.Integer({ minimum: 1, description: 'Number of requests with this status' }),
    }),
    { description: 'Answered statuses' },
  ),
  never: Type.Array(Type.Integer(), { description: 'Documented statuses that no request got' }),
})
export type EndpointUse = Static<typeof EndpointUse>

/**
 * Use of all worlds of an emulator since its start, including worlds that have ended or were reset. Counts payments and
 * deliveries made after a world was opened, not those of its seed or snapshot.
 */
export const Report = Type.Object({
  since: described(Timestamp, 'Start of the emulator, UTC'),
  worlds: Type.Integer({ minimum: 1, description: 'Number of worlds; a reset counts as another world' }),
  requests: Type.Integer({ minimum: 0, description: 'Number of requests to all worlds' }),
  unanswered: Type.Integer({ minimum: 0, description: 'Number of requests whose answer was not sent completely' }),
  endpoints: Type.Array(EndpointUse, { description: 'Use of every endpoint of the service' }),
  violations: described(Findings(BrokenRequest), 'Requests that broke the contract'),
  keys: described(
    Findings(BrokenRequest),
    'Payment requests without a key, or with a key that was used before for another payment',
  ),
  polling: described(Findings(PolledRead), 'Reads repeated in a loop'),
  untaken: described(Findings(UntakenDelivery), 'Deliveries that no receiver accepted'),
  unfinished: described(
    Findings(UnfinishedPayment),
    'Payments that have not ended, or had not ended when their world ended',
  ),
  unfired: described(Findings(UnfiredFault), 'Fault rules that never fired'),
  late: described(Findings(LateToWorld), 'Requests after the end of their world'),
  default_world: described(
    Findings(UnnamedWorld),
    'Requests to the default world without its name while there were other worlds: a client may have dropped the path of its base URL',
  ),
  strict: described(Findings(WorldBreach), 'Breaches of the contract in strict worlds'),
  paid_twice: described(Findings(PaidTwice), 'Orders that were paid twice'),
  suspected: described(Findings(Suspected), 'Payments that may repeat a payment whose answer was lost'),
  handled_twice: described(
    Findings(HandledTwice),
    'Events that were delivered twice, with the same write for each delivery',
  ),
  unresolved: described(Findings(UnresolvedPayment), 'Payments whose answer was lost, and that nobody looked up'),
  never_paid: described(Findings(NeverPaid), 'Payments that a kill stopped, and that the program never tried again'),
  kills: Type.Array(Kill, { description: 'Requests at which the program was killed, in order' }),
  chaos: described(
    ChaosState,
    'Counts of all worlds; the seed, the profile and the faults are only those of worlds with the chaos of `--chaos`, not of worlds with their own chaos',
  ),
})
export type Report = Static<typeof Report>

export const reportEndpoints = {
  'control.report': controlEndpoint({
    method: 'GET',
    path: '/_emulator/report',
    summary: 'Use of all worlds since the start of the emulator, with findings',
    description:
      'Lists endpoints and statuses that were never used, requests that broke the contract, deliveries that nobody accepted, and payments that did not end.',
    success: { status: 200, message: 'Report made', data: Report },
    ofEmulator: true,
  }),
} as const
