import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { ownHeaderPattern } from '../headers.ts'
import { CreatedAt, described, nullable, Timestamp, UpdatedAt, uuidOf } from './scalars.ts'

const Id = Type.String({ description: 'Names the subscription for good' })

const delivery = {
  url: Type.String({ description: 'Where deliveries go, by POST' }),
  events: Type.Array(Type.String(), { description: 'Names of the events that are delivered' }),
  max_attempts: Type.Integer({
    description: 'How often a delivery is tried in all, before the subscription is suspended',
  }),
  timeout: Type.Integer({ description: 'Seconds that the receiver has to answer one attempt' }),
  headers: nullable(
    Type.Record(Type.String(), Type.String(), {
      description: 'Headers of every delivery, value by name; null for none',
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
      description: 'False while it is suspended: events are kept, and delivered when it is resumed',
    }),
    ...sending,
    last_sent_at: described(nullable(Timestamp), 'When a delivery last went out, UTC; null if none has'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    suspended_at: described(nullable(Timestamp), 'When it was suspended, UTC; null while it is active'),
    suspended_reason: described(nullable(Type.String()), 'Why it is suspended; null while it is active'),
  },
  { description: 'A URL that events are delivered to' },
)
export type WebhookSubscription = Static<typeof WebhookSubscription>

/** Services may omit what a new subscription can't have: a last delivery and a suspension. */
export const CreatedSubscription = Type.Object(
  {
    ...WebhookSubscription.properties,
    last_sent_at: Type.Optional(WebhookSubscription.properties.last_sent_at),
    suspended_at: Type.Optional(WebhookSubscription.properties.suspended_at),
    suspended_reason: Type.Optional(WebhookSubscription.properties.suspended_reason),
    secret: Type.String({ pattern: '^[0-9A-Za-z]{32}$', description: 'Shown this once and never again: keep it' }),
  },
  { description: 'A subscription that was just made' },
)
export type CreatedSubscription = Static<typeof CreatedSubscription>

export const DeletedSubscription = Type.Object(
  { id: Id, ...delivery, created_at: CreatedAt, updated_at: UpdatedAt },
  { description: 'A subscription as it was when it was removed' },
)
export type DeletedSubscription = Static<typeof DeletedSubscription>

export const SuspendedSubscription = Type.Object(
  {
    id: Id,
    active: Type.Literal(false, { description: 'False: nothing is delivered until it is resumed' }),
    suspended_at: described(Timestamp, 'Since when, UTC'),
    suspended_reason: Type.String({ description: 'The reason of the request, or `Manual suspension`' }),
  },
  { description: 'A subscription that was just suspended' },
)

export const ResumedSubscription = Type.Object(
  {
    id: Id,
    active: Type.Literal(true, { description: 'True: events are delivered again' }),
    suspended_webhooks_count: Type.Integer({ description: 'How many deliveries were waiting' }),
    retry_job_dispatched: Type.Literal(true, { description: 'True: those that waited are on their way' }),
  },
  { description: 'A subscription that was just resumed' },
)

const notHeaders = 'The headers field must be an object.'

/** An empty array counts as an empty object: PHP writes one like that. */
const GivenHeaders = Type.Unsafe<Record<string, string>>({
  description:
    'Headers of every delivery, value by name: how a receiver knows who sends. Those that belong to a delivery, as `Host` and `Content-Type`, are refused',
  ...Type.Record(Type.String(), Type.String({ maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' })),
  type: ['object', 'array'],
  maxItems: 0,
  propertyNames: {
    pattern: ownHeaderPattern,
    'x-messages': { pattern: 'The headers field has a name that is no header name, or one that is reserved.' },
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
    description: 'Where deliveries go, by POST: http or https',
    maxLength: 2048,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]+([/?#][^\\s]*)?$',
    'x-messages': { pattern: 'The url field must be a valid http or https URL.' },
  }),
  events: Type.Array(
    Type.Enum([...eventNames], {
      'x-messages': { enum: `Invalid webhook event type, allowed events: ${eventNames.join(', ')}` },
    }),
    { minItems: 1, maxItems: 100, description: 'Names of the events to deliver; one that is named twice counts once' },
  ),
  max_attempts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 3,
      description: 'How often a delivery is tried in all',
      'x-messages': { minimum: 'Max attempts must be at least 1' },
    }),
  ),
  timeout: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 120,
      default: 30,
      description: 'Seconds that the receiver has for one attempt',
    }),
  ),
  headers: Type.Optional(GivenHeaders),
})
export type CreateSubscriptionBody = Static<typeof CreateSubscriptionBody>

export const SuspendBody = Type.Object({
  reason: Type.Optional(
    described(
      nullable(Type.String({ minLength: 1, maxLength: 255 })),
      'Why, as it is shown later; `Manual suspension` where it is left out',
    ),
  ),
})

export const SubscriptionParams = Type.Object({
  id: described(uuidOf('Subscription ID'), 'Id of a subscription of the user'),
})
