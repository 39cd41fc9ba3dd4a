import { type Static, Type } from 'typebox'
import { largestMomentLimit, usualMomentLimit } from '../emulator_names.ts'
import { Page, pageQuery } from '../schemas/envelope.ts'
import { closed, described, nullable, Time, Timestamp, Uuid, uuidOf } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { RequestId } from './requests.ts'

export const MomentId = Type.String({
  pattern: '^m[1-9]\\d{0,14}$',
  'x-messages': { pattern: 'The id of a moment must be m and a number, like m12.' },
  description: 'Id of a moment in its world: `m1` is the first',
})

/** Cause of the change that a saved moment records. */
export const MomentCause = Type.Object({
  kind: Type.Enum(['start', 'request', 'status', 'credit', 'delivery', 'clock', 'control'], {
    description:
      'Kind of cause: the first moment, a request, a step of a payment, a scheduled credit, a delivery attempt, a move of the clock, or a control endpoint',
  }),
  what: Type.String({ description: 'Description, for people' }),
  id: described(nullable(Type.String()), 'Id of the request, once it is answered, or of the delivery; null otherwise'),
  payment_id: Type.Union([Uuid, Type.Null()], {
    description: 'Id of the payment that the change is about; null if there is none',
  }),
})
export type MomentCause = Static<typeof MomentCause>

/** Saved moment: the state of a world after a change. */
export const Moment = Type.Object({
  id: MomentId,
  at: described(Timestamp, 'Time, UTC by the clock of the world'),
  before: described(
    nullable(MomentId),
    'Id of the moment with the state before the change; null for the first moment, or if that moment was dropped',
  ),
  cause: described(MomentCause, 'Cause of the change'),
  size_bytes: Type.Integer({ description: 'Memory that the moment takes, in bytes' }),
})
export type Moment = Static<typeof Moment>

const limit = Type.Integer({
  minimum: 1,
  maximum: largestMomentLimit,
  description: 'Maximum memory for the moments of the world, in MiB',
})

export const KeptMoments = Type.Object({
  limit_mib: described(
    nullable(limit),
    'Maximum memory for the moments of the world, in MiB; null if the world saves no moments',
  ),
  size_bytes: Type.Integer({ description: 'Memory that the moments of the world take, in bytes' }),
  count: Type.Integer({ description: 'Number of saved moments' }),
})

export const MomentPage = Type.Object(
  {
    ...Page(Moment).properties,
    kept: described(KeptMoments, 'Limit of the saved moments, and their number across all pages'),
  },
  { description: 'Page of moments' },
)

export const MomentsQuery = Type.Object({
  ...pageQuery,
  request: Type.Optional(
    described(
      RequestId,
      'Only the moment that this request made; if the request changed nothing, the moment whose state the request read',
    ),
  ),
  payment: Type.Optional(described(uuidOf('Payment ID'), 'Only moments whose cause is about this payment')),
  until: Type.Optional(described(Time, 'Only moments up to this time of the world’s clock')),
})
export type MomentsQuery = Static<typeof MomentsQuery>

export const momentEndpoints = {
  'control.moments.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/moments',
    summary: 'Saved moments of the world, newest first',
    description:
      'A moment is the state after a change: each request, payment step or delivery attempt that changes the world has its own moment. A world can be forked from any saved moment: `POST /_emulator/worlds` with `from: { moment }`.',
    query: MomentsQuery,
    success: { status: 200, message: 'Moments listed', data: MomentPage },
    errors: { 404: 'Request not found', 422: null },
    list: 'page',
  }),
  'control.moments.keep': controlEndpoint({
    method: 'POST',
    path: '/_emulator/moments',
    summary: 'Save the moments of the world from now on, or change their limit',
    description:
      'The oldest moments are dropped when the limit is reached. A reset drops all moments; the world then saves new moments.',
    body: closed({
      limit_mib: Type.Optional(
        described(
          limit,
          `Maximum memory for the moments in MiB, besides one copy of the tables. Default: ${usualMomentLimit}`,
        ),
      ),
    }),
    success: { status: 200, message: 'Moments are kept', data: KeptMoments },
  }),
  'control.moments.stop': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/moments',
    summary: 'Drop the moments of the world, and save no more',
    description: 'Worlds that were forked from a moment continue.',
    success: { status: 200, message: 'Moments dropped', data: KeptMoments },
  }),
} as const
