import { type Static, Type } from 'typebox'
import { eventNames } from '../event_names.ts'
import { deliveryHeaders } from '../headers.ts'
import { nullable, Timestamp, uuidOf } from './scalars.ts'

const Headers = nullable(Type.Record(Type.String(), Type.String()))

/** `timeout` is in seconds, for one delivery. */
export const WebhookSubscription = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  active: Type.Boolean(),
  max_attempts: Type.Integer(),
  timeout: Type.Integer(),
  headers: Headers,
  last_sent_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  suspended_at: nullable(Timestamp),
  suspended_reason: nullable(Type.String()),
})
export type WebhookSubscription = Static<typeof WebhookSubscription>

/** The answer to creating a subscription. `secret` is shown this once. */
export const CreatedSubscription = Type.Object({
  ...WebhookSubscription.properties,
  secret: Type.String({ pattern: '^[0-9A-Za-z]{32}$' }),
})
export type CreatedSubscription = Static<typeof CreatedSubscription>

export const DeletedSubscription = Type.Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  max_attempts: Type.Integer(),
  timeout: Type.Integer(),
  headers: Headers,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type DeletedSubscription = Static<typeof DeletedSubscription>

export const SuspendedSubscription = Type.Object({
  id: Type.String(),
  active: Type.Literal(false),
  suspended_at: Timestamp,
  suspended_reason: Type.String(),
})

/** `suspended_webhooks_count` is how many deliveries were waiting. */
export const ResumedSubscription = Type.Object({
  id: Type.String(),
  active: Type.Literal(true),
  suspended_webhooks_count: Type.Integer(),
  retry_job_dispatched: Type.Literal(true),
})

/** Headers that belong to the delivery itself; a subscription can't set them. */
const reservedHeaders = [
  'Host',
  'Content-Length',
  'Content-Type',
  'Content-Encoding',
  'Transfer-Encoding',
  'Connection',
  'Keep-Alive',
  'Upgrade',
  'Expect',
  'TE',
  'Trailer',
  'Proxy-Connection',
  'User-Agent',
  ...Object.values(deliveryHeaders),
]

const anyCase = (name: string) =>
  name.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)

const headerName = `^(?!(${reservedHeaders.map(anyCase).join('|')})$)[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,128}$`

const notHeaders = 'The headers field must be an object.'

/** Name to value. An empty array counts as none: PHP writes an empty object so. */
const GivenHeaders = Type.Unsafe<Record<string, string>>({
  ...Type.Record(Type.String(), Type.String({ maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' })),
  type: ['object', 'array'],
  maxItems: 0,
  propertyNames: { pattern: headerName },
  maxProperties: 20,
  'x-document': { type: 'object', maxItems: undefined },
  'x-messages': {
    type: notHeaders,
    maxItems: notHeaders,
    propertyNames: 'The headers field has a name that is no header name, or one that is reserved.',
  },
})

/** An event that is named twice counts once. */
export const CreateSubscriptionBody = Type.Object({
  url: Type.String({
    maxLength: 2048,
    pattern: '^https?://[^\\s/?#]+([/?#][^\\s]*)?$',
    'x-messages': { pattern: 'The url field must be a valid http or https URL.' },
  }),
  events: Type.Array(
    Type.Enum([...eventNames], {
      'x-messages': { enum: `Invalid webhook event type, allowed events: ${eventNames.join(', ')}` },
    }),
    { minItems: 1, maxItems: 100 },
  ),
  max_attempts: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10, 'x-messages': { minimum: 'Max attempts must be at least 1' } }),
  ),
  timeout: Type.Optional(nullable(Type.Integer({ minimum: 5, maximum: 120 }))),
  headers: Type.Optional(GivenHeaders),
})
export type CreateSubscriptionBody = Static<typeof CreateSubscriptionBody>

export const SuspendBody = Type.Object({
  reason: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 255 }))),
})

export const SubscriptionParams = Type.Object({ id: uuidOf('Subscription ID') })
