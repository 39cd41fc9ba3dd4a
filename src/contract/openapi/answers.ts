import type { TObject } from 'typebox'
import type { Endpoint, Table } from '../endpoint.ts'
import { type ErrorStatus, errorStatuses } from '../errors.ts'
import { rateLimitHeaders } from '../headers.ts'
import { ErrorEnvelope, RowMessage, SuccessEnvelope } from '../schemas/envelope.ts'
import { type Components, type Examples, firstOf, type Json, jsonContent, type Named } from './components.ts'
import { headersOf } from './parameters.ts'
import { operationIdOf } from './tags.ts'

/** Parts and recorded examples that the operations of a document share. */
export interface Material {
  readonly components: Components
  readonly examples: Examples
  /** Endpoint rows that answers can link to. */
  readonly table: Table
}

/** All answers of an endpoint in OpenAPI form, keyed by status. */
export function answersOf(id: string, endpoint: Endpoint, material: Material): Json {
  const { success, errors } = endpoint
  const { components, examples } = material
  const recorded = examples[id]?.responses ?? {}
  // A 429 of a control endpoint is about the limits of teams, which no header shows.
  const limited = 429 in errors && endpoint.access !== 'control'
  const links = linksOf(endpoint, material.table)
  return {
    [success.status]: {
      description: success.message,
      ...withHeaders({ ...headersOf(success.headers, components), ...(limited && countHeaders(components)) }),
      content: success.type
        ? { [success.type]: { schema: components.schema(success.data) } }
        : jsonContent(components.schema(SuccessEnvelope(success.message, success.data)), recorded[success.status]),
      ...(Object.keys(links).length > 0 && { links }),
    },
    ...Object.fromEntries(
      Object.entries(errors).map(([key, message]) => {
        const status = Number(key) as ErrorStatus
        if (status in shared) return [status, sharedRefusal(status as keyof typeof shared, message, material, limited)]
        const refusal = refusalOf({ status, message, examples: recorded[status] }, components)
        return [status, { ...refusal, ...withHeaders(limited ? countHeaders(components) : {}) }]
      }),
    ),
  }
}

/** Names of the answers that all endpoints of a document share, keyed by status. */
const shared = {
  401: 'Unauthenticated',
  403: 'Forbidden',
  410: 'Gone',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  429: 'TooManyRequests',
} as const

export function sharedRefusal(
  status: keyof typeof shared,
  message: string | null,
  material: Material,
  isCounted = true,
): Json {
  const { components, examples } = material
  const refusal = refusalOf({ status, message, examples: firstOf(examples, status) }, components)
  return components.response(shared[status], {
    ...refusal,
    ...withHeaders(sharedHeaders(status, components, isCounted)),
  })
}

function sharedHeaders(status: keyof typeof shared, components: Components, isCounted: boolean): Json {
  if (status === 401) return { 'WWW-Authenticate': text('`Bearer error="invalid_token"`') }
  const wait = { 'Retry-After': integer('Seconds until the limit resets') }
  if (status === 429) return isCounted ? { ...countHeaders(components), ...wait } : wait
  return {}
}

interface Refusal {
  readonly status: ErrorStatus
  readonly message: string | null
  readonly examples: Named | undefined
}

/** A constant message is part of the schema. A varying message is described by the meaning of the status. */
function refusalOf({ status, message, examples }: Refusal, components: Components): Json {
  const envelope = components.schema(ErrorEnvelope)
  const schema =
    message === null
      ? envelope
      : { allOf: [envelope, { type: 'object', properties: { message: RowMessage(message) } }] }
  return { description: message ?? errorStatuses[status], content: jsonContent(schema, examples) }
}

/** Headers of answers that count against a rate limit; absent without a rate limit. */
export const countHeaders = (components: Components): Json => ({
  [rateLimitHeaders.limit]: components.header('RateLimitLimit', integer('Requests allowed in a window')),
  [rateLimitHeaders.remaining]: components.header('RateLimitRemaining', integer('Requests left in this window')),
  [rateLimitHeaders.reset]: components.header('RateLimitReset', integer('End of the window, in Unix seconds')),
})

const withHeaders = (headers: Json): Json => (Object.keys(headers).length > 0 ? { headers } : {})

const integer = (description: string): Json => ({ description, schema: { type: 'integer', minimum: 0 } })

export const text = (description: string): Json => ({ description, schema: { type: 'string' } })

/**
 * Links from the answer to a request that creates a resource, to endpoints with the resource's id in the path: `POST
 * /api/payments` leads to `GET /api/payments/{id}`. The links show readers and programs where an id comes from.
 */
export function linksOf({ path, success }: Endpoint, table: Table): Record<string, Json> {
  const { properties = {} } = success.data as Partial<TObject>
  const links: Record<string, Json> = {}
  if (success.status !== 201) return links
  for (const [id, row] of Object.entries(table)) {
    const [parameter] = Object.keys(row.params?.properties ?? {})
    if (parameter === undefined || !(parameter in properties) || !row.path.startsWith(`${path}/{${parameter}}`))
      continue
    const operationId = operationIdOf(id)
    links[operationId] = {
      operationId,
      parameters: { [parameter]: `$response.body#/data/${parameter}` },
      description: `Takes the \`${parameter}\` of this answer`,
    }
  }
  return links
}
