import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { closed, described, nullable, Timestamp } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

/**
 * Maximum number of receivers of a world, and maximum number of deliveries that the emulator stores for each receiver.
 */
export const receiverLimits = { receivers: 100, arrivals: 100 } as const

export const receiverIdPattern = '[a-z0-9][a-z0-9-]{0,62}'

const ReceiverId = Type.String({
  pattern: `^${receiverIdPattern}$`,
  'x-messages': {
    pattern:
      'The id of a receiver must have 1 to 63 characters: lower case letters, digits and dashes, beginning with a letter or digit.',
  },
  description:
    'Any name of 1 to 63 characters: lower case letters, digits and dashes, beginning with a letter or digit',
})

const receiverAnswer = {
  status: Type.Integer({ minimum: 200, maximum: 599, description: 'HTTP status of the receiver’s answers' }),
  delay_ms: Type.Integer({
    minimum: 0,
    maximum: 600_000,
    description: 'Milliseconds of real time before each answer',
  }),
  hang_up: Type.Boolean({ description: 'True if the receiver closes the connection instead of answering' }),
}

/** The answer that a receiver is configured to return. */
export const ReceiverAnswer = Type.Object(receiverAnswer)
export type ReceiverAnswer = Static<typeof ReceiverAnswer>

/** A delivery that arrived at a receiver. */
export const Arrival = Type.Object({
  at: described(Timestamp, 'Time of the arrival, UTC by the clock of the world'),
  delivery_id: Type.String({ description: 'Id of the delivery, the same at each attempt' }),
  attempt: Type.Integer({ description: 'Number of the attempt, from 1' }),
  event: Type.Enum([...eventNames], { description: 'Name of the event' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'Headers of the delivery; the values of the subscription’s own headers are `***`',
  }),
  body: Type.String({ description: 'Body, byte for byte as it was sent and signed' }),
  signature: Type.Enum(['valid', 'wrong', 'none'], {
    description: 'Result of checking the signature with the subscription’s secret; `none` if deliveries are not signed',
  }),
  status: described(nullable(Type.Integer()), 'Status of the answer; null if the receiver closed the connection'),
})
export type Arrival = Static<typeof Arrival>

export const Receiver = Type.Object({
  id: ReceiverId,
  url: Type.String({ description: 'URL of the receiver, for use in a subscription' }),
  answer: described(ReceiverAnswer, 'Its answers'),
  arrived: Type.Integer({ description: 'Number of attempts that the receiver got' }),
})
export type Receiver = Static<typeof Receiver>

export const ReceiverDetail = Type.Object({
  ...Receiver.properties,
  arrivals: Type.Array(Arrival, {
    description: `The last ${receiverLimits.arrivals} attempts that arrived, newest first`,
  }),
})

const receiverParams = Type.Object({ id: ReceiverId })

export const receiverEndpoints = {
  'control.receivers.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/receivers',
    summary: 'Built-in receivers of webhooks',
    description:
      'A receiver exists from its first delivery or setting on. Receivers are in memory: after a reset, a fork or a restart, a world has none.',
    success: { status: 200, message: 'Receivers listed', data: Type.Array(Receiver) },
  }),
  'control.receivers.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/receivers/{id}',
    summary: 'A receiver of webhooks with its deliveries',
    description:
      'The URLs of receivers are the only URLs of the emulator that a subscription can use. A world hands these deliveries directly to its own receivers, without a network connection, whichever world the URL names.',
    params: receiverParams,
    success: { status: 200, message: 'Receiver read', data: ReceiverDetail },
    errors: { 422: null },
  }),
  'control.receivers.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/receivers/{id}/settings',
    summary: 'Set the answers of a receiver',
    description:
      'Applies to later deliveries. An omitted member has its default: status 200, no delay, no closed connection.',
    params: receiverParams,
    body: closed({
      status: Type.Optional(receiverAnswer.status),
      delay_ms: Type.Optional(receiverAnswer.delay_ms),
      hang_up: Type.Optional(receiverAnswer.hang_up),
    }),
    success: { status: 200, message: 'Answer set', data: Receiver },
  }),
} as const
