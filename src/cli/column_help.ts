import type { TSchema } from 'typebox'
import { namedColumns } from '../output/chosen_columns.ts'
import type { Columns } from '../output/output.ts'
import type { Prints } from './command.ts'

/** `npm run docs` writes these files from the contract, with examples. */
export const openapiDocuments = {
  service: () => import('../../docs/reference/openapi.json', { with: { type: 'json' } }),
  emulator: () => import('../../docs/reference/emulator-openapi.json', { with: { type: 'json' } }),
}

/** Keywords of JSON Schema that describe fields. */
interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly description?: string
}

type Schemas = Readonly<Record<string, Schema>>

export interface Described {
  readonly column: string
  readonly meaning: string
}

/**
 * All columns that a list can have: its own columns and every field of its JSON. A column that payctl derives from
 * fields declares its meaning. Other meanings come from the contract, or, for lists that payctl generates itself
 * (`payees list`), from the schema of the command.
 */
export async function describedColumns<Row>(
  columns: Columns<Row>,
  prints: Prints | undefined,
): Promise<readonly Described[]> {
  const named = 'schema' in columns ? columns.schema : undefined
  const fields = await (typeof named === 'string' ? fieldsOf(named) : fieldsOfOutput(named ?? schemaOf(prints)))
  const shown = namedColumns(columns, 'csv')
  const own = shown.map(({ name }) => name)
  const declared = new Map(shown.map(({ name, meaning }) => [name, meaning]))
  // A column shows major units, so the description `Minor units` of the JSON field does not fit.
  for (const { name, isMoney } of shown) if (isMoney && fields.get(name) === 'Minor units') fields.set(name, '')
  const others = [...fields.keys()].filter((path) => !own.includes(path))
  return [...own, ...others].map((column) => ({
    column,
    meaning:
      declared.get(column) ||
      fields.get(column) ||
      meaningOf(column, fields) ||
      (fields.get(`amount.${column}`) ?? fields.get(`intent.${column}`) ?? ''),
  }))
}

/** Meaning of the JSON field that matches a column: the column `payee_iban` matches the field `payee.iban`. */
function meaningOf(column: string, fields: ReadonlyMap<string, string>): string | undefined {
  for (const [path, meaning] of fields) if (path.replaceAll('.', '_') === column) return meaning
  return undefined
}

/** Descriptions of a schema's fields, keyed by the paths of the fields. */
async function fieldsOf(name: string): Promise<Map<string, string>> {
  for (const read of Object.values(openapiDocuments)) {
    const { default: document } = await read()
    const schemas = document.components.schemas as unknown as Schemas
    if (schemas[name]) return new Map(fieldsIn(schemas[name], '', schemas))
  }
  return new Map()
}

const schemaOf = (prints: Prints | undefined) => (prints && 'schema' in prints ? prints.schema : undefined)

/** Descriptions of the fields of a command's own output, keyed by the paths of the fields. */
async function fieldsOfOutput(load: (() => Promise<TSchema>) | undefined): Promise<Map<string, string>> {
  if (!load) return new Map()
  const { schemaDocument } = await import('./schema.ts')
  const document = schemaDocument('', await load()) as Schema & {
    readonly items?: Schema
    readonly $defs?: Schemas
  }
  return new Map(fieldsIn(document.items ?? document, '', document.$defs ?? {}))
}

function* fieldsIn(schema: Schema, path: string, schemas: Schemas): Generator<[string, string], void> {
  const { properties, allOf = [] } = resolved(schema, schemas)
  for (const part of allOf) yield* fieldsIn(part, path, schemas)
  for (const [name, member] of Object.entries(properties ?? {})) {
    const inner = resolved(member, schemas)
    yield [path + name, member.description ?? inner.description ?? '']
    yield* fieldsIn(inner, `${path}${name}.`, schemas)
  }
}

/** Resolves a reference, and leaves null out of a union. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, anyOf } = schema
  if ($ref !== undefined) return schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}
  const inner = anyOf?.find(({ type }) => type !== 'null')
  return inner ? resolved(inner, schemas) : schema
}
