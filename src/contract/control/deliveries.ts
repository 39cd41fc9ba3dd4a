import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { ownHeaderPattern } from '../headers.ts'
import { Page, PageQuery } from '../schemas/envelope.ts'
import { closed, described, nullable, Timestamp, Uuid } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

/** `pending`: waiting or in flight. `exhausted`: not tried again automatically. */
export const DeliveryStatus = Type.Enum(['pending', 'delivered', 'exhausted'], {
  description: '`pending` is waiting or under way; an `exhausted` one is not tried again by itself',
})
export type DeliveryStatus = Static<typeof DeliveryStatus>

/** Delivery of an event to one subscription. `attempts`: number of attempts so far. `due_at`: time of the next one. */
export const Delivery = Type.Object({
  id: Type.String({ description: 'Names the delivery, the same over all attempts: `X-Webhook-Id`' }),
  subscription_id: described(Uuid, 'The subscription it goes to'),
  event: Type.Enum([...eventNames], { description: 'Which event it tells of' }),
  status: DeliveryStatus,
  attempts: Type.Integer({ description: 'How often it was tried so far' }),
  due_at: described(nullable(Timestamp), 'When it is tried next, UTC by the clock of the world; null if it is not'),
  created_at: described(Timestamp, 'When the event happened, UTC'),
})
export type Delivery = Static<typeof Delivery>

/** `status`: the receiver's HTTP status, null without an answer. `answer`: beginning of its body. */
export const DeliveryAttempt = Type.Object({
  number: Type.Integer({ description: '1 for the first attempt: `X-Webhook-Attempt`' }),
  started_at: described(Timestamp, 'When it was sent, UTC by the clock of the world'),
  duration_ms: Type.Integer({ description: 'Milliseconds until the receiver answered, or the attempt was given up' }),
  status: described(nullable(Type.Integer()), 'HTTP status of the receiver; null if none came'),
  error: described(nullable(Type.String()), 'What went wrong; null if the receiver answered'),
  answer: described(nullable(Type.String()), 'Beginning of the receiver’s answer; null if none came'),
})

/** `body`: the sent body. `history`: the attempts, oldest first. */
export const DeliveryDetail = Type.Object({
  ...Delivery.properties,
  body: described(Type.Record(Type.String(), Type.Unknown()), 'What is sent'),
  history: Type.Array(DeliveryAttempt, { description: 'The attempts, oldest first' }),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

const deliverySettings = {
  plain: Type.Boolean({
    description: 'True leaves out the headers that only the emulator sends: `X-Webhook-Id` and `X-Webhook-Attempt`',
  }),
  signature_header: nullable(
    Type.String({
      pattern: ownHeaderPattern,
      'x-messages': { pattern: 'The signature_header field must be a header name that is not reserved.' },
      description: 'Header with the signature of each delivery; null: deliveries are not signed',
    }),
  ),
}

/** Format of a world's webhook deliveries. */
export const DeliverySettings = Type.Object(deliverySettings)
export type DeliverySettings = Static<typeof DeliverySettings>

/** Absent settings don't change. */
export const DeliverySettingsBody = closed({
  plain: Type.Optional(deliverySettings.plain),
  signature_header: Type.Optional(deliverySettings.signature_header),
})

const deliveryParams = Type.Object({
  id: Type.String({ pattern: '^whd_\\d{12,21}$', description: 'Id of a delivery' }),
})
const deliveryErrors = { 404: 'Delivery not found', 422: null } as const

export const deliveryEndpoints = {
  'control.deliveries.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/deliveries',
    summary: 'Webhook deliveries of all users, newest first',
    description: 'Delivered, waiting and exhausted ones, a page at a time.',
    query: PageQuery,
    success: { status: 200, message: 'Deliveries listed', data: Page(Delivery) },
    errors: { 422: null },
    list: 'page',
  }),
  'control.deliveries.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/deliveries/{id}',
    summary: 'One webhook delivery with its attempts',
    description: 'What is sent, and how each attempt went.',
    params: deliveryParams,
    success: { status: 200, message: 'Delivery read', data: DeliveryDetail },
    errors: deliveryErrors,
  }),
  'control.deliveries.resend': controlEndpoint({
    method: 'POST',
    path: '/_emulator/deliveries/{id}/resend',
    summary: 'Send a webhook delivery again, or sooner; to a suspended subscription it goes when that is resumed',
    description: 'It is due at once, however often it was tried before.',
    params: deliveryParams,
    success: { status: 200, message: 'Delivery queued', data: Delivery },
    errors: { ...deliveryErrors, 409: 'The delivery is being sent right now' },
  }),
  'control.deliverySettings.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/delivery-settings',
    summary: 'How webhooks are sent',
    description: 'As the emulator was started, until the world has its own settings.',
    success: { status: 200, message: 'Delivery settings read', data: DeliverySettings },
  }),
  'control.deliverySettings.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/delivery-settings',
    summary: 'Set how webhooks are sent',
    description:
      'Applies to every later attempt, retries included. A setting that is left out stays as it is. Subscriptions made while deliveries are not signed can not be signed for: only the hash of their secret is stored.',
    body: DeliverySettingsBody,
    success: { status: 200, message: 'Delivery settings set', data: DeliverySettings },
  }),
} as const
