import type { TObject, TSchema } from 'typebox'
import type { Access, Endpoint, Table } from './endpoint.ts'
import { type ErrorStatus, errorStatuses } from './errors.ts'
import * as contract from './index.ts'
import { scopes } from './oauth.ts'
import { SuccessEnvelope } from './schemas/envelope.ts'

type Json = { readonly [name: string]: unknown }

/** What a document says about itself. */
export interface Info {
  readonly title: string
  readonly version: string
  readonly description: string
}

/** An endpoint table as an OpenAPI 3.1 document: its schemas are JSON Schema already. */
export function openApi(table: Table, info: Info): Json {
  const components = new Components()
  const paths: Record<string, Record<string, Json>> = {}
  for (const [id, endpoint] of Object.entries(table)) {
    paths[endpoint.path] ??= {}
    Object.assign(paths[endpoint.path] ?? {}, { [endpoint.method.toLowerCase()]: operation(id, endpoint, components) })
  }
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: { schemas: components.used(), securitySchemes: securitySchemes(table) },
  }
}

function operation(id: string, endpoint: Endpoint, components: Components): Json {
  const { params, query, headers, body, success, errors } = endpoint
  const parameters = [
    ...parametersOf('path', params, components),
    ...parametersOf('query', query, components),
    ...parametersOf('header', headers, components),
  ]
  const responses = {
    [success.status]: answer(success.message, components.schema(SuccessEnvelope(success.message, success.data))),
    ...Object.fromEntries(
      Object.entries(errors).map(([status, message]) => [status, refusal(Number(status), message, components)]),
    ),
  }
  return {
    operationId: id,
    summary: endpoint.summary,
    tags: [id.split('.')[0]],
    security: security(endpoint.access),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(components.schema(body)) } }),
    responses,
  }
}

function parametersOf(place: 'path' | 'query' | 'header', schema: TObject | undefined, components: Components): Json[] {
  const required = new Set<string>(schema?.required ?? [])
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: required.has(name),
    schema: components.schema(property),
  }))
}

const json = (schema: Json): Json => ({ 'application/json': { schema } })

const answer = (description: string, schema: Json): Json => ({ description, content: json(schema) })

/** A constant message is part of the schema; the meaning of the status stands in for a message that varies. */
function refusal(status: number, message: string | null, components: Components): Json {
  const envelope = components.schema(contract.ErrorEnvelope)
  if (message === null) return answer(errorStatuses[status as ErrorStatus], envelope)
  return answer(message, { allOf: [envelope, { properties: { message: { const: message } } }] })
}

/** Alternatives: a token with any one of the scopes, or one from the dashboard. */
function security(access: Access): Json[] {
  if (access === 'public') return []
  if (access === 'control') return [{ control: [] }]
  const alternatives = access.scopes.length > 0 ? access.scopes.map((scope) => [scope]) : [[]]
  return [...alternatives.map((needed) => ({ oauth2: needed })), { bearer: [] }]
}

function securitySchemes(table: Table): Json {
  const isControl = Object.values(table).every(({ access }) => typeof access === 'string')
  if (isControl) return { control: { type: 'http', scheme: 'bearer', description: 'The emulator’s control token' } }
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'A token issued through the dashboard' },
    oauth2: {
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: '/oauth/authorize',
          tokenUrl: '/oauth/token',
          refreshUrl: '/oauth/token',
          scopes,
        },
      },
    },
  }
}

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null && '~kind' in value

/** Refers to the schemas that the contract exports under their names, and collects those that were referred to. */
class Components {
  /** By content, because optional and nullable members are copies. */
  readonly #names = new Map(
    Object.entries(contract)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, value]) => (isSchema(value) ? [[JSON.stringify(value), name]] : [])),
  )
  readonly #used = new Map<string, Json>()

  used(): Json {
    return Object.fromEntries([...this.#used].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  schema(schema: TSchema): Json {
    const name = this.#names.get(JSON.stringify(schema))
    if (name === undefined) return this.#plain(schema)
    if (!this.#used.has(name)) this.#used.set(name, this.#plain(schema))
    return { $ref: `#/components/schemas/${name}` }
  }

  /** Without the annotations that only the emulator's validator reads. */
  #plain(schema: object): Json {
    return Object.fromEntries(
      Object.entries(schema)
        .filter(([keyword]) => !keyword.startsWith('x-'))
        .map(([keyword, value]) => [keyword, this.#value(value)]),
    )
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(item))
    if (isSchema(value)) return this.schema(value)
    return typeof value === 'object' && value !== null ? this.#plain(value) : value
  }
}
