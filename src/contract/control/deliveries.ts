import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { ownHeaderPattern } from '../headers.ts'
import { Page, PageQuery, pageQuery } from '../schemas/envelope.ts'
import { closed, described, nullable, Timestamp, Uuid } from '../schemas/scalars.ts'
import { WebhookSubscription } from '../schemas/webhook.ts'
import { controlEndpoint } from './control_endpoint.ts'

export const DeliveryStatus = Type.Enum(['pending', 'delivered', 'exhausted'], {
  description: '`pending` is waiting or being sent; `exhausted` is not tried again automatically',
})
export type DeliveryStatus = Static<typeof DeliveryStatus>

export const Delivery = Type.Object({
  id: Type.String({ description: 'Id of the delivery, constant over all attempts: `X-Webhook-Id`' }),
  subscription_id: described(Uuid, 'Id of the subscription that gets the delivery'),
  event: Type.Enum([...eventNames], { description: 'Name of the event' }),
  status: DeliveryStatus,
  attempts: Type.Integer({ description: 'Number of attempts so far' }),
  due_at: described(
    nullable(Timestamp),
    'Time of the next attempt, UTC by the clock of the world; null if there is none',
  ),
  created_at: described(Timestamp, 'Time of the event, UTC'),
})
export type Delivery = Static<typeof Delivery>

export const DeliveryAttempt = Type.Object({
  number: Type.Integer({ description: 'Number of the attempt, from 1: `X-Webhook-Attempt`' }),
  started_at: described(Timestamp, 'Time when the attempt began, UTC by the clock of the world'),
  duration_ms: Type.Integer({
    description: 'Milliseconds until the receiver answered, or the attempt ended without an answer',
  }),
  status: described(nullable(Type.Integer()), 'HTTP status of the receiver; null without an answer'),
  error: described(nullable(Type.String()), 'Reason for the failure; null if the receiver accepted the delivery'),
  answer: described(nullable(Type.String()), 'Beginning of the answer’s body; null if none was received'),
})

export const DeliveryDetail = Type.Object({
  ...Delivery.properties,
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      'Headers of the request to the receiver as they would be sent now; values of the subscription’s own headers are `***`',
  }),
  body: described(Type.Record(Type.String(), Type.Unknown()), 'Body of the request to the receiver'),
  history: Type.Array(DeliveryAttempt, { description: 'Attempts, oldest first' }),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const EmulatedSubscription = Type.Object(
  {
    ...WebhookSubscription.properties,
    user_id: described(Uuid, 'Permanent id of the subscriber, as in the list of users'),
  },
  { description: 'A subscription of any user' },
)

const deliverySettings = {
  plain: Type.Boolean({
    description:
      'True if deliveries lack the headers that only the emulator sends: `X-Webhook-Id` and `X-Webhook-Attempt`',
  }),
  signature_header: nullable(
    Type.String({
      pattern: ownHeaderPattern,
      'x-messages': { pattern: 'The signature_header field must be a header name that is not reserved.' },
      description: 'Header with the signature of each delivery; null if deliveries are not signed',
    }),
  ),
}

export const DeliverySettings = Type.Object(deliverySettings)
export type DeliverySettings = Static<typeof DeliverySettings>

export const DeliverySettingsBody = closed({
  plain: Type.Optional(deliverySettings.plain),
  signature_header: Type.Optional(deliverySettings.signature_header),
})

const DeliveryId = Type.String({ pattern: '^whd_\\d{12,21}$', description: 'Id of a delivery' })

const deliveryParams = Type.Object({ id: DeliveryId })

const DeliveriesQuery = Type.Object({
  ...pageQuery,
  before: Type.Optional(
    described(DeliveryId, 'Only deliveries older than this delivery, so that new deliveries do not move the pages'),
  ),
})
const deliveryErrors = { 404: 'Delivery not found', 422: null } as const

export const deliveryEndpoints = {
  'control.subscriptions.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/subscriptions',
    summary: 'Webhook subscriptions of all users, newest first',
    description: 'Active and suspended subscriptions, each with its user and without its secret.',
    query: PageQuery,
    success: { status: 200, message: 'Subscriptions listed', data: Page(EmulatedSubscription) },
    errors: { 422: null },
    list: 'page',
  }),
  'control.deliveries.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/deliveries',
    summary: 'Webhook deliveries of all users, newest first',
    description: 'Deliveries in every status, a page at a time.',
    query: DeliveriesQuery,
    success: { status: 200, message: 'Deliveries listed', data: Page(Delivery) },
    errors: { 422: null },
    list: 'page',
  }),
  'control.deliveries.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/deliveries/{id}',
    summary: 'One webhook delivery with its attempts',
    description: 'The body of the delivery, and the result of each attempt.',
    params: deliveryParams,
    success: { status: 200, message: 'Delivery read', data: DeliveryDetail },
    errors: deliveryErrors,
  }),
  'control.deliveries.resend': controlEndpoint({
    method: 'POST',
    path: '/_emulator/deliveries/{id}/resend',
    summary: 'Send a webhook delivery again, or sooner',
    description:
      'The delivery is due at once, whatever the number of attempts so far. A suspended subscription gets the delivery when it is resumed.',
    params: deliveryParams,
    success: { status: 200, message: 'Delivery queued', data: Delivery },
    errors: { ...deliveryErrors, 409: 'The delivery is being sent right now' },
  }),
  'control.deliverySettings.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/delivery-settings',
    summary: 'Settings of webhook deliveries',
    description: 'The emulator’s settings, unless the world has its own.',
    success: { status: 200, message: 'Delivery settings read', data: DeliverySettings },
  }),
  'control.deliverySettings.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/delivery-settings',
    summary: 'Change the settings of webhook deliveries',
    description:
      'Applies to every later attempt, retries included. Omitted settings do not change. While deliveries are not signed, only the hash of a subscription’s secret is stored. If deliveries are signed later, deliveries to a subscription whose secret is not stored fail: make the subscription again.',
    body: DeliverySettingsBody,
    success: { status: 200, message: 'Delivery settings set', data: DeliverySettings },
  }),
} as const
