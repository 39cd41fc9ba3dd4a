import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { ownHeaderPattern } from '../headers.ts'
import { CreatedAt, described, nullable, Timestamp, UpdatedAt, uuidOf } from './scalars.ts'

const Id = Type.String({ description: 'Permanent id of the subscription' })

const delivery = {
  url: Type.String({ description: 'URL that deliveries are sent to, by POST' }),
  events: Type.Array(Type.String(), { description: 'Names of the subscribed events' }),
  max_attempts: Type.Integer({
    description: 'Maximum number of attempts for a delivery; if the last attempt fails, the subscription is suspended',
  }),
  timeout: Type.Integer({ description: 'Seconds in which the receiver must answer an attempt' }),
  headers: nullable(
    Type.Record(Type.String(), Type.String(), {
      description: 'Headers of every delivery, value by name; null if there are none',
    }),
  ),
}

const { url, events, ...sending } = delivery

export const WebhookSubscription = Type.Object(
  {
    id: Id,
    url,
    events,
    active: Type.Boolean({
      description: 'False while the subscription is suspended: events wait, and are delivered when it is resumed',
    }),
    ...sending,
    last_sent_at: described(nullable(Timestamp), 'Time of the last sent delivery, UTC; null if there is none'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    suspended_at: described(nullable(Timestamp), 'Time of the suspension, UTC; null while the subscription is active'),
    suspended_reason: described(
      nullable(Type.String()),
      'Reason for the suspension; null while the subscription is active',
    ),
  },
  { description: 'Subscription of a URL to events' },
)
export type WebhookSubscription = Static<typeof WebhookSubscription>

/** Services may omit members that a new subscription can't have: a last delivery and a suspension. */
export const CreatedSubscription = Type.Object(
  {
    ...WebhookSubscription.properties,
    last_sent_at: Type.Optional(WebhookSubscription.properties.last_sent_at),
    suspended_at: Type.Optional(WebhookSubscription.properties.suspended_at),
    suspended_reason: Type.Optional(WebhookSubscription.properties.suspended_reason),
    secret: Type.String({
      pattern: '^[0-9A-Za-z]{32}$',
      description: 'Secret of the subscription, shown only here: keep the secret',
    }),
  },
  { description: 'A new subscription' },
)
export type CreatedSubscription = Static<typeof CreatedSubscription>

export const DeletedSubscription = Type.Object(
  { id: Id, ...delivery, created_at: CreatedAt, updated_at: UpdatedAt },
  { description: 'A subscription as it was before its removal' },
)
export type DeletedSubscription = Static<typeof DeletedSubscription>

export const SuspendedSubscription = Type.Object(
  {
    id: Id,
    active: Type.Literal(false, { description: 'False: nothing is delivered until the subscription is resumed' }),
    suspended_at: described(Timestamp, 'Time of the suspension, UTC'),
    suspended_reason: Type.String({ description: 'Reason from the request, or `Manual suspension`' }),
  },
  { description: 'A newly suspended subscription' },
)

export const ResumedSubscription = Type.Object(
  {
    id: Id,
    active: Type.Literal(true, { description: 'True: events are delivered again' }),
    suspended_webhooks_count: Type.Integer({ description: 'Number of waiting deliveries' }),
    retry_job_dispatched: Type.Literal(true, { description: 'Always true: waiting deliveries are being sent' }),
  },
  { description: 'A newly resumed subscription' },
)

const notHeaders = 'The headers field must be an object.'

/** An empty array counts as an empty object, because PHP writes empty objects as arrays. */
const GivenHeaders = Type.Unsafe<Record<string, string>>({
  description:
    'Headers of every delivery, value by name: a secret header proves the sender. Headers of the delivery itself, such as `Host` and `Content-Type`, are refused',
  ...Type.Record(Type.String(), Type.String({ maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' })),
  type: ['object', 'array'],
  maxItems: 0,
  propertyNames: {
    pattern: ownHeaderPattern,
    'x-messages': { pattern: 'The headers field has an invalid or reserved header name.' },
  },
  maxProperties: 20,
  'x-document': { type: 'object', maxItems: undefined, propertyNames: undefined },
  'x-messages': {
    type: notHeaders,
    maxItems: notHeaders,
  },
})

export const CreateSubscriptionBody = Type.Object({
  url: Type.String({
    format: 'uri',
    description: 'URL that deliveries are sent to, by POST: http or https',
    maxLength: 2048,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]+([/?#][^\\s]*)?$',
    'x-messages': { pattern: 'The url field must be a valid http or https URL.' },
  }),
  events: Type.Array(
    Type.Enum([...eventNames], {
      'x-messages': { enum: `Invalid webhook event type, allowed events: ${eventNames.join(', ')}` },
    }),
    { minItems: 1, maxItems: 100, description: 'Names of the events to deliver; repeated names count once' },
  ),
  max_attempts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 3,
      description: 'Maximum number of attempts for a delivery',
      'x-messages': { minimum: 'Max attempts must be at least 1' },
    }),
  ),
  timeout: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 120,
      default: 30,
      description: 'Seconds in which the receiver must answer an attempt',
    }),
  ),
  headers: Type.Optional(GivenHeaders),
})
export type CreateSubscriptionBody = Static<typeof CreateSubscriptionBody>

export const SuspendBody = Type.Object({
  reason: Type.Optional(
    described(
      nullable(Type.String({ minLength: 1, maxLength: 255 })),
      'Reason, as shown later. Default: `Manual suspension`',
    ),
  ),
})

export const SubscriptionParams = Type.Object({
  id: described(uuidOf('Subscription ID'), 'Id of one of the user’s subscriptions'),
})
