import type { TSchema } from 'typebox'
import * as contract from '../index.ts'
import type { Json } from './json.ts'

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null && '~kind' in value

/** The parts that a document defines once. A schema is added when it is first referred to. */
export class Components {
  /** The contract's exported schemas, by content, because optional and nullable members are copies. */
  readonly #names = new Map(
    Object.entries(contract).flatMap(([name, value]) => (isSchema(value) ? [[JSON.stringify(value), name]] : [])),
  )
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

  schema(schema: TSchema): Json {
    const name = this.#names.get(JSON.stringify(schema))
    if (name === undefined) return this.#plain(schema)
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

const sorted = (parts: ReadonlyMap<string, Json>): Json =>
  Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)))
