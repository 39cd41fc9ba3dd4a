import { type Static, type TSchema, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlErrors } from '../errors.ts'
import { Money } from '../schemas/money.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { nullable, Timestamp, Uuid } from '../schemas/scalars.ts'
import { Delivery } from './deliveries.ts'
import { FaultRule } from './faults.ts'
import { Breach, RequestId } from './requests.ts'
import { LateRequest, WorldName } from './worlds.ts'

/** So many findings of a kind are kept with what they are; the others are counted. */
export const keptFindings = 100

/** `first` has the first hundred, `count` counts them all. */
const Findings = <S extends TSchema>(finding: S) =>
  Type.Object({ count: Type.Integer({ minimum: 0 }), first: Type.Array(finding) })

export interface Findings<T> {
  count: number
  first: T[]
}

const world = { world: WorldName }
const request = { ...world, request: RequestId, method: Type.String(), path: Type.String() }

/** A request that broke the contract, once for each way it did. */
export const BrokenRequest = Type.Object({ ...request, status: Type.Integer(), ...Breach.properties })
export type BrokenRequest = Static<typeof BrokenRequest>

/** A read that one user repeated without a pause for others, and got the same answer each time. */
export const PolledRead = Type.Object({ ...request, times: Type.Integer({ minimum: 2 }) })
export type PolledRead = Static<typeof PolledRead>

/** A delivery that its receiver did not take: none of its attempts was answered with a 2xx. */
export const UntakenDelivery = Type.Object({
  ...world,
  id: Delivery.properties.id,
  url: Type.String(),
  event: Delivery.properties.event,
  status: Delivery.properties.status,
  attempts: Type.Integer(),
  error: nullable(Type.String()),
})
export type UntakenDelivery = Static<typeof UntakenDelivery>

/** A payment that had not come to its end when its world did, or by now. */
export const UnfinishedPayment = Type.Object({ ...world, id: Uuid, status: PaymentStatus, amount: Money })
export type UnfinishedPayment = Static<typeof UnfinishedPayment>

export const UnfiredFault = Type.Object({ ...world, ...FaultRule.properties })
export type UnfiredFault = Static<typeof UnfiredFault>

export const LateToWorld = Type.Object({ ...world, ...LateRequest.properties })
export type LateToWorld = Static<typeof LateToWorld>

/** How an endpoint was used. `never` has the statuses that its row documents and nobody got. */
export const EndpointUse = Type.Object({
  endpoint: Type.String(),
  method: Type.String(),
  path: Type.String(),
  requests: Type.Integer({ minimum: 0 }),
  statuses: Type.Array(Type.Object({ status: Type.Integer(), requests: Type.Integer({ minimum: 1 }) })),
  never: Type.Array(Type.Integer()),
})
export type EndpointUse = Static<typeof EndpointUse>

/**
 * What all worlds of an emulator were used for since it started, those included that have ended or were reset. Payments and
 * deliveries count that were made since a world was opened; what came with its seed or snapshot does not.
 */
export const Report = Type.Object({
  since: Timestamp,
  worlds: Type.Integer({ minimum: 1, description: 'how many there were, a reset counted as another' }),
  requests: Type.Integer({ minimum: 0 }),
  unanswered: Type.Integer({ minimum: 0, description: 'requests whose answer did not leave whole' }),
  endpoints: Type.Array(EndpointUse),
  violations: Findings(BrokenRequest),
  keys: Findings(BrokenRequest),
  polling: Findings(PolledRead),
  untaken: Findings(UntakenDelivery),
  unfinished: Findings(UnfinishedPayment),
  unfired: Findings(UnfiredFault),
  late: Findings(LateToWorld),
})
export type Report = Static<typeof Report>

/** The kinds of findings, each with what a run without any can say of itself. */
export const reportChecks = {
  violations: 'Requests keep to the contract',
  keys: 'Payments have keys of their own',
  polling: 'No read is repeated in a loop',
  untaken: 'Receivers take their deliveries',
  unfinished: 'Payments come to their end',
  unfired: 'Each fault happens',
  late: 'Nothing is sent to a world that has ended',
} as const satisfies Partial<Record<keyof Report, string>>

export type ReportCheck = keyof typeof reportChecks

export const reportEndpoints = {
  'control.report': endpoint({
    method: 'GET',
    path: '/_emulator/report',
    summary: 'What all worlds were used for since the emulator started, and what was wrong with it',
    access: 'control',
    success: { status: 200, message: 'Report made', data: Report },
    errors: controlErrors,
  }),
} as const
