import { type EventName, eventNames, eventSummaries } from '../event_names.ts'
import { events } from '../events.ts'
import { deliveryHeaders } from '../headers.ts'
import type { Material } from './answers.ts'
import { type Json, jsonContent } from './json.ts'
import { operationIdOf } from './tags.ts'

/** The service's webhook deliveries, by event. */
export const webhooksOf = (material: Material): Record<string, Json> =>
  Object.fromEntries(eventNames.map((name) => [name, { post: deliveryOf(name, material) }]))

function deliveryOf(name: EventName, { components, examples }: Material): Json {
  return {
    operationId: operationIdOf(name),
    summary: eventSummaries[name],
    description:
      'Sent to every active subscription to this event, at least once. A repetition has the same `event` and `data.id`. A receiver must answer within the `timeout` of its subscription.',
    tags: ['events'],
    security: [],
    parameters: [
      emulatorHeader(deliveryHeaders.id, 'Id of the delivery, the same over all attempts', { type: 'string' }),
      emulatorHeader(deliveryHeaders.attempt, '1 for the first attempt', { type: 'integer', minimum: 1 }),
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

/** Name of an event's body: `PaymentCreatedEvent` for `payment.created`. */
const bodyName = (name: EventName): string => `${operationIdOf(`.${name}`)}Event`

/** A header outside the interface: a receiver that requires it would refuse the service's deliveries. */
const emulatorHeader = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: false,
  description: `${description}. Sent by the payctl emulator only, and not with \`--plain-deliveries\`: do not rely on it`,
  schema,
})
