import { type EventName, eventNames, eventSummaries } from '../event_names.ts'
import { events } from '../events.ts'
import { deliveryHeaders } from '../headers.ts'
import type { Material } from './answers.ts'
import { type Json, jsonContent } from './json.ts'
import { operationIdOf } from './tags.ts'

/** What the service sends to subscribers, by event. */
export const webhooksOf = (material: Material): Record<string, Json> =>
  Object.fromEntries(eventNames.map((name) => [name, { post: deliveryOf(name, material) }]))

function deliveryOf(name: EventName, { components, examples }: Material): Json {
  return {
    operationId: operationIdOf(name),
    summary: eventSummaries[name],
    description:
      'Sent to every active subscription to this event, at least once: `X-Webhook-Id` is the same when it comes again. A receiver answers within the `timeout` of its subscription.',
    tags: ['events'],
    security: [],
    parameters: [
      header(deliveryHeaders.id, 'names the delivery, the same over all attempts', { type: 'string' }),
      header(deliveryHeaders.attempt, '1 for the first attempt', { type: 'integer', minimum: 1 }),
    ],
    requestBody: {
      required: true,
      content: jsonContent(components.named(bodyName(name), events[name]), examples[name]?.request),
    },
    responses: {
      '2XX': { description: 'Taken; the delivery is not repeated' },
      default: { description: 'Not taken, redirects included: tried again later, up to `max_attempts` times in all' },
    },
  }
}

/** `payment.created` has a `PaymentCreatedEvent`. */
const bodyName = (name: EventName): string => `${operationIdOf(`.${name}`)}Event`

const header = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})
