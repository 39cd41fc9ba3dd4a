import type { TObject, TSchema } from 'typebox'
import type { Access, Endpoint, Table } from '../endpoint.ts'
import { type EventName, eventNames, eventSummaries } from '../event_names.ts'
import { events } from '../events.ts'
import { deliveryHeaders } from '../headers.ts'
import { answersOf, type Material } from './answers.ts'
import { type Components, type Json, jsonContent, type Named } from './components.ts'
import { parametersIn } from './parameters.ts'
import { operationIdOf, tagOf } from './tags.ts'

/** Converts an endpoint table to OpenAPI path items, keyed by path. */
export function pathsOf(table: Table, material: Material): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const [id, endpoint] of Object.entries(table)) {
    const { path, method } = endpoint
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(id, endpoint, material) }
  }
  return paths
}

function operationOf(id: string, endpoint: Endpoint, material: Material): Json {
  const { components, examples } = material
  const { parameters: values, request } = examples[id] ?? {}
  const { params, query, headers, body } = endpoint
  const parameters = [
    ...parametersIn('path', params, { components, values }),
    ...parametersIn('query', query, { components, values }),
    ...parametersIn('header', headers, { components, values }),
  ]
  return {
    operationId: operationIdOf(id),
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    tags: [tagOf(id)],
    security: securityOf(endpoint.access),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        // A missing body is the same as {}.
        required: (body.required ?? []).length > 0,
        content: contentOf(endpoint, body, { components, request }),
      },
    }),
    responses: answersOf(id, endpoint, material),
  }
}

/** Description of the row, with its required scopes and the answers that prove that no money moved. */
function descriptionOf({ description = '', access, movesMoney }: Endpoint): string {
  const scopes = typeof access === 'object' ? access.scopes.map((scope) => `\`${scope}\``).join(' or ') : ''
  return [
    description,
    scopes && `Scope: ${scopes}.`,
    movesMoney &&
      `Only ${movesMoney.refusals.join(', ')} prove that no money moved. After any other answer except success, money may have moved.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

const contentOf = (
  { upload }: Endpoint,
  body: TObject,
  { components, request }: { readonly components: Components; readonly request: Named | undefined },
): Json =>
  upload
    ? { [upload.type]: { schema: components.schema(body.properties.file as TSchema) } }
    : jsonContent(components.schema(body), request)

/**
 * Alternatives: a dashboard token, or an OAuth token with any one of the scopes. Generators use the first alternative.
 */
function securityOf(access: Access): Json[] {
  if (access === 'public') return []
  if (access === 'control') return [{ control: [] }, {}]
  const alternatives = access.scopes.length > 0 ? access.scopes.map((scope) => [scope]) : [[]]
  return [{ bearer: [] }, ...alternatives.map((needed) => ({ oauth2: needed }))]
}

/** The service's webhook deliveries, keyed by event. */
export const webhooksOf = (material: Material): Record<string, Json> =>
  Object.fromEntries(eventNames.map((name) => [name, { post: deliveryOf(name, material) }]))

function deliveryOf(name: EventName, { components, examples }: Material): Json {
  // PaymentCreatedEvent for payment.created.
  const bodyName = `${operationIdOf(`.${name}`)}Event`
  return {
    operationId: operationIdOf(name),
    summary: eventSummaries[name],
    description:
      'Sent at least once to every active subscription to this event. A repetition has the same `event` and `data.id`. A receiver must answer within the `timeout` of its subscription.',
    tags: ['events'],
    security: [],
    parameters: [
      emulatorHeader(deliveryHeaders.id, 'Id of the delivery, constant over all attempts', { type: 'string' }),
      emulatorHeader(deliveryHeaders.attempt, 'Number of the attempt, from 1', { type: 'integer', minimum: 1 }),
    ],
    requestBody: {
      required: true,
      content: jsonContent(components.named(bodyName, events[name]), examples[name]?.request),
    },
    responses: {
      '2XX': { description: 'Accepted: the delivery is not repeated' },
      default: {
        description:
          'Not accepted; redirects are not followed. Tried again later, until `max_attempts` attempts have failed',
      },
    },
  }
}

/**
 * A header that is optional, because the interface does not define it: a receiver that required the header would refuse
 * the service's deliveries.
 */
const emulatorHeader = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: false,
  description: `${description}. Sent only by the payctl emulator, and not with \`--plain-deliveries\`: do not rely on this header`,
  schema,
})
