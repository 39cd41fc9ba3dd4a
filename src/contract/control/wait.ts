import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { closed, described, nullable, Timestamp, Uuid, uuidOf } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { faultEndpointIds } from './faults.ts'

/** Longest wait, in milliseconds of real time. */
export const longestWait = 600_000

export const WaitBody = closed({
  payment: Type.Optional(
    described(uuidOf('Payment ID'), 'Id of a payment: waits until the payment has reached `status`'),
  ),
  status: Type.Optional(PaymentStatus),
  deliveries: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Number of deliveries: waits until that many have been accepted',
    }),
  ),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'Counts deliveries to this URL only' })),
  event: Type.Optional(Type.Enum([...eventNames], { description: 'Counts deliveries of this event only' })),
  requests: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Number of requests: waits until that many have been answered',
    }),
  ),
  max_requests: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Maximum number of requests: waits until the time limit; the answer is 409 as soon as there are more requests',
    }),
  ),
  endpoint: Type.Optional(
    Type.Enum(faultEndpointIds, { description: 'Counts requests to this endpoint only. Default: all endpoints' }),
  ),
  idle: Type.Optional(
    Type.Literal(true, { description: 'Waits until nothing is due at any time and no delivery is being sent' }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: longestWait,
      description: 'Time limit in milliseconds of real time. Default: 10000',
    }),
  ),
})
export type WaitBody = Static<typeof WaitBody>

/** Last state seen by a wait. Only the member that the wait was for is present. */
export const WaitSeen = Type.Object({
  payment: Type.Optional(
    Type.Object(
      { id: described(Uuid, 'Permanent id of the payment'), status: PaymentStatus },
      {
        description:
          'Awaited payment, with `status` if the payment has reached that status, otherwise with its last status',
      },
    ),
  ),
  deliveries: Type.Optional(
    Type.Object(
      {
        delivered: Type.Integer({ description: 'Number of accepted deliveries' }),
        pending: Type.Integer({ description: 'Number of deliveries that are waiting or being sent' }),
        exhausted: Type.Integer({ description: 'Number of deliveries that are not tried again' }),
      },
      { description: 'Counts of a wait for deliveries' },
    ),
  ),
  requests: Type.Optional(
    Type.Object(
      {
        came: Type.Integer({ description: 'Number of requests that arrived' }),
        answered: Type.Integer({ description: 'Number of requests that were answered, or whose answer was lost' }),
      },
      { description: 'Counts of a wait for requests, since the world was made, reset or opened' },
    ),
  ),
  idle: Type.Optional(
    Type.Object(
      {
        sending: Type.Boolean({ description: 'True if a delivery is being sent' }),
        next_due_at: described(nullable(Timestamp), 'Time of the next due step, UTC; null if there is none'),
      },
      { description: 'State of a wait until the world is idle' },
    ),
  ),
})
export type WaitSeen = Static<typeof WaitSeen>

export const waitEndpoints = {
  'control.wait': controlEndpoint({
    method: 'POST',
    path: '/_emulator/wait',
    summary: 'Wait for a status of a payment, for deliveries or requests, or until nothing is due',
    description:
      'Replaces a polling loop. The body has exactly one of `payment`, `deliveries`, `requests`, `max_requests` and `idle`. The answer is 409, with the last state, if the awaited state is not reached in time or can no longer be reached.',
    body: WaitBody,
    success: { status: 200, message: 'It has happened', data: WaitSeen },
    // 409 for a timeout: a 408 would mean that the request came late, and clients would send it again.
    errors: { 404: 'Payment not found', 409: null },
    checksOnly: true,
  }),
} as const
