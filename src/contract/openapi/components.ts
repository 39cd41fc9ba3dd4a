import type { TSchema } from 'typebox'
import * as contract from '../index.ts'
import type { Json } from './json.ts'
import { plainSchema } from './plain_schema.ts'

export const isSchema = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && '~kind' in value

/** Keywords with which a member may annotate a shared schema. */
const annotations = ['description', 'default']

/**
 * Content of a schema without annotations, for comparison: members are copies that may be optional or nullable, or have
 * their own descriptions.
 */
export const contentOf = (schema: TSchema): string =>
  JSON.stringify(Object.fromEntries(Object.entries(schema).filter(([keyword]) => !annotations.includes(keyword))))

interface NamedSchema {
  readonly name: string
  readonly schema: TSchema
}

/** The contract's exported schemas, by content. */
const exported: ReadonlyMap<string, NamedSchema> = new Map(
  Object.entries(contract).flatMap(([name, schema]) =>
    isSchema(schema) ? [[contentOf(schema), { name, schema }] as const] : [],
  ),
)

/** Parts that a document defines once. A schema is added at the first reference. */
export class Components {
  readonly #schemas = new Map<string, Json>()
  readonly #headers = new Map<string, Json>()
  readonly #responses = new Map<string, Json>()

  all(): Json {
    return {
      schemas: sorted(this.#schemas),
      ...(this.#headers.size > 0 && { headers: sorted(this.#headers) }),
      ...(this.#responses.size > 0 && { responses: sorted(this.#responses) }),
    }
  }

  /** The schema, or a reference to it if it has a name, with the member's own annotations. */
  schema(schema: TSchema): Json {
    const named = exported.get(contentOf(schema)) ?? pageOf(schema)
    if (!named) return this.#plain(schema)
    const own = Object.entries(schema).filter(
      ([keyword, value]) => annotations.includes(keyword) && value !== named.schema[keyword as keyof TSchema],
    )
    return { ...this.named(named.name, named.schema), ...Object.fromEntries(own) }
  }

  /** A reference to a schema under a name. */
  named(name: string, schema: TSchema): Json {
    if (!this.#schemas.has(name)) this.#schemas.set(name, this.#plain(schema))
    return { $ref: `#/components/schemas/${name}` }
  }

  header(name: string, header: Json): Json {
    this.#headers.set(name, header)
    return { $ref: `#/components/headers/${name}` }
  }

  response(name: string, response: Json): Json {
    this.#responses.set(name, response)
    return { $ref: `#/components/responses/${name}` }
  }

  /** Omits keywords that only the emulator’s validator reads. */
  #plain = (schema: object): Json => plainSchema(schema, (member) => this.#value(member))

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(item))
    if (isSchema(value)) return this.schema(value)
    return typeof value === 'object' && value !== null ? this.#plain(value) : value
  }
}

/** Names a page after the named schema of its items: `AccountPage`. */
function pageOf(schema: TSchema & { properties?: { current_page?: TSchema; data?: { items?: TSchema } } }) {
  const item = schema.properties?.current_page && schema.properties.data?.items
  const named = item && exported.get(contentOf(item))
  return named && { name: `${named.name}Page`, schema }
}

const sorted = (parts: ReadonlyMap<string, Json>): Json =>
  Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)))
