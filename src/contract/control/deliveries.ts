import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlErrors } from '../errors.ts'
import { eventNames } from '../event_names.ts'
import { Page, PageQuery } from '../schemas/page.ts'
import { nullable, Timestamp, Uuid } from '../schemas/scalars.ts'

/** A `pending` one is waiting or under way; an `exhausted` one is not tried again by itself. */
export const DeliveryStatus = Type.Enum(['pending', 'delivered', 'exhausted'])
export type DeliveryStatus = Static<typeof DeliveryStatus>

/** An event on its way to one subscription. `attempts` is how often it was tried, `due_at` when it is tried next. */
export const Delivery = Type.Object({
  id: Type.String(),
  subscription_id: Uuid,
  event: Type.Enum([...eventNames]),
  status: DeliveryStatus,
  attempts: Type.Integer(),
  due_at: nullable(Timestamp),
  created_at: Timestamp,
})
export type Delivery = Static<typeof Delivery>

/** `status` is the receiver's, null when there was no answer; `answer` the beginning of its body. */
export const DeliveryAttempt = Type.Object({
  number: Type.Integer(),
  started_at: Timestamp,
  duration_ms: Type.Integer(),
  status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  answer: nullable(Type.String()),
})
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

/** `body` is what is sent; `history` has the attempts, oldest first. */
export const DeliveryDetail = Type.Object({
  ...Delivery.properties,
  body: Type.Record(Type.String(), Type.Unknown()),
  history: Type.Array(DeliveryAttempt),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

const deliveryParams = Type.Object({ id: Type.String({ pattern: '^whd_\\d{12,21}$' }) })
const deliveryErrors = { ...controlErrors, 404: 'Delivery not found', 422: null } as const

export const deliveryEndpoints = {
  'control.deliveries.list': endpoint({
    method: 'GET',
    path: '/_emulator/deliveries',
    summary: 'Webhook deliveries of all users, newest first',
    access: 'control',
    query: PageQuery,
    success: { status: 200, message: 'Deliveries listed', data: Page(Delivery) },
    errors: { ...controlErrors, 422: null },
  }),
  'control.deliveries.get': endpoint({
    method: 'GET',
    path: '/_emulator/deliveries/{id}',
    summary: 'One webhook delivery with its attempts',
    access: 'control',
    params: deliveryParams,
    success: { status: 200, message: 'Delivery read', data: DeliveryDetail },
    errors: deliveryErrors,
  }),
  'control.deliveries.resend': endpoint({
    method: 'POST',
    path: '/_emulator/deliveries/{id}/resend',
    summary: 'Send a webhook delivery again, or sooner; to a suspended subscription it goes when that is resumed',
    access: 'control',
    params: deliveryParams,
    success: { status: 200, message: 'Delivery queued', data: Delivery },
    errors: { ...deliveryErrors, 409: 'The delivery is being sent right now' },
  }),
} as const
