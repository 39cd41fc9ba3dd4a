import type { TSchema } from 'typebox'
import * as contract from '../index.ts'

export const isSchema = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && '~kind' in value

/** Keywords with which a member can annotate a shared schema. */
const annotations = ['description', 'default']

/**
 * Content of a schema without annotations, to compare schemas. A member of an object is often a copy of a shared
 * schema, made optional or nullable, or with another description.
 */
export const contentOf = (schema: TSchema): string =>
  JSON.stringify(Object.fromEntries(Object.entries(schema).filter(([keyword]) => !annotations.includes(keyword))))

/** The contract's exported schemas, keyed by content, so that a copy of a schema is recognised. */
const exported: ReadonlyMap<string, { readonly name: string; readonly schema: TSchema }> = new Map(
  Object.entries(contract).flatMap(([name, schema]) =>
    isSchema(schema) ? [[contentOf(schema), { name, schema }] as const] : [],
  ),
)

/** Parts that a document defines once and refers to by name. A schema is added at the first reference. */
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

  /** The schema, or a reference if the schema has a name, with the member's own annotations. */
  schema(schema: TSchema): Json {
    const named = exported.get(contentOf(schema)) ?? pageOf(schema)
    if (!named) return this.#plain(schema)
    const own = Object.entries(schema).filter(
      ([keyword, value]) => annotations.includes(keyword) && value !== named.schema[keyword as keyof TSchema],
    )
    return { ...this.named(named.name, named.schema), ...Object.fromEntries(own) }
  }

  /** A reference to a schema that the document defines under this name. */
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

/**
 * Converts a schema to the form that client generators understand. An enum has a type, and null is beside the enum, not
 * among its values. A record becomes `additionalProperties`. A nullable value becomes a schema with two types. Omits
 * keywords that only the emulator's validator reads; where the validator accepts more than a client should send, the
 * keywords of `x-document` replace the schema's.
 */
export function plainSchema(schema: object, convert: (value: unknown) => unknown): Json {
  const { 'x-document': documented = {}, ...keywords } = schema as Json
  const all = Object.entries({ ...keywords, ...(documented as Json) })
  const plain = all.filter(([keyword, value]) => !keyword.startsWith('x-') && value !== undefined)
  return typed(recordOf(nullableOf(Object.fromEntries(plain.map(([keyword, value]) => [keyword, convert(value)])))))
}

/** typebox omits the type of an enum. */
const typed = (schema: Json): Json =>
  Array.isArray(schema.enum) && schema.type === undefined ? { type: 'string', ...schema } : schema

/** typebox puts the schema of a record's values under a pattern that matches every name. */
function recordOf({ patternProperties, ...schema }: Json): Json {
  const { '^.*$': values, ...others } = (patternProperties ?? {}) as Json
  if (values === undefined || Object.keys(others).length > 0) {
    return { ...schema, ...(patternProperties !== undefined && { patternProperties }) }
  }
  return { ...schema, additionalProperties: values }
}

/** A reference stays in `anyOf`, because a reference in OpenAPI can't have a type beside it. */
function nullableOf({ anyOf, ...schema }: Json): Json {
  if (!Array.isArray(anyOf)) return schema
  const [value, nothing, ...others] = anyOf as readonly Json[]
  const isChoice = value !== undefined && ('const' in value || 'enum' in value)
  if (nothing?.type !== 'null' || others.length > 0 || typeof value?.type !== 'string' || isChoice) {
    return { anyOf, ...schema }
  }
  return { ...value, type: [value.type, 'null'], ...schema }
}

export type Json = Readonly<Record<string, unknown>>

/** A JSON body, with examples if there are any. */
export const jsonContent = (schema: Json, examples: Json = {}): Json => ({
  'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) },
})

/** Examples of requests or answers, keyed by name. */
export type Named = Readonly<Record<string, { readonly value: unknown }>>

/** Recorded examples, keyed by operation id. */
export type Examples = Readonly<
  Record<
    string,
    {
      /** Values of path, query and header parameters. */
      readonly parameters?: Json
      readonly request?: Named
      /** Answers by status. */
      readonly responses?: Readonly<Record<string, Named>>
    }
  >
>

/** The first example with this status in any operation, for an answer that is the same in all operations. */
export function firstOf(examples: Examples, status: number): Named {
  for (const { responses } of Object.values(examples)) {
    const named = responses?.[status]
    if (named) return named
  }
  return {}
}
