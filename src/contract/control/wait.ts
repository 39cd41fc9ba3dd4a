import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { closed, described, nullable, Timestamp, Uuid, uuidOf } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { faultEndpointIds } from './faults.ts'

/** Longest wait, in milliseconds of real time. */
export const longestWait = 600_000

/**
 * Exactly one of five conditions: `payment` has reached or passed `status`; `deliveries` were delivered, to `url` and
 * of `event` if given; `requests` to `endpoint` were answered; `timeout_ms` has passed with at most `max_requests` to
 * `endpoint`; the world is `idle`: no timer is pending and no delivery is in flight. `timeout_ms` is real time;
 * default: 10 s.
 */
export const WaitBody = closed({
  payment: Type.Optional(described(uuidOf('Payment ID'), 'Id of a payment: wait until it has been in `status`')),
  status: Type.Optional(PaymentStatus),
  deliveries: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Wait until so many are delivered' }),
  ),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'Only deliveries to this URL count' })),
  event: Type.Optional(Type.Enum([...eventNames], { description: 'Only deliveries of this event count' })),
  requests: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Wait until so many requests were answered' }),
  ),
  max_requests: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Wait until the time is over; refused (409) as soon as more requests have come',
    }),
  ),
  endpoint: Type.Optional(
    Type.Enum(faultEndpointIds, { description: 'Only requests to this endpoint count; all where it is left out' }),
  ),
  idle: Type.Optional(
    Type.Literal(true, { description: 'Wait until nothing is due at any time and no delivery is under way' }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: longestWait, description: 'Milliseconds of real time' }),
  ),
})
export type WaitBody = Static<typeof WaitBody>

/** Last state seen by a wait: the member that it waited for. */
export const WaitSeen = Type.Object({
  payment: Type.Optional(
    Type.Object(
      { id: described(Uuid, 'Names the payment for good'), status: PaymentStatus },
      { description: 'Of a wait for a payment: the status it has reached, or the last one seen' },
    ),
  ),
  deliveries: Type.Optional(
    Type.Object(
      {
        delivered: Type.Integer({ description: 'How many their receivers took' }),
        pending: Type.Integer({ description: 'How many are waiting or under way' }),
        exhausted: Type.Integer({ description: 'How many are not tried again' }),
      },
      { description: 'Of a wait for deliveries: how many there were' },
    ),
  ),
  requests: Type.Optional(
    Type.Object(
      {
        came: Type.Integer({ description: 'How many came to the world' }),
        answered: Type.Integer({ description: 'How many of them were answered, or lost their answer' }),
      },
      { description: 'Of a wait for requests: how many there were since the world was made' },
    ),
  ),
  idle: Type.Optional(
    Type.Object(
      {
        sending: Type.Boolean({ description: 'Whether a delivery is under way' }),
        next_due_at: described(nullable(Timestamp), 'When the next step is due, UTC; null if none is'),
      },
      { description: 'Of a wait until idle: what there was still to do' },
    ),
  ),
})
export type WaitSeen = Static<typeof WaitSeen>

export const waitEndpoints = {
  'control.wait': controlEndpoint({
    method: 'POST',
    path: '/_emulator/wait',
    summary:
      'Wait until a payment was in a status, webhooks are delivered, requests came, or nothing is left to happen',
    description: 'One call instead of a loop. A wait that runs out is refused (409) with what was seen instead.',
    body: WaitBody,
    success: { status: 200, message: 'It has happened', data: WaitSeen },
    // 409 for a timeout: a 408 would mean that the request came late, and clients would send it again.
    errors: { 404: 'Payment not found', 409: null },
    checksOnly: true,
  }),
} as const
