import { namedColumns } from '../output/chosen_columns.ts'
import type { Columns } from '../output/output.ts'

// `npm run docs` writes these files from the contract.
const readServices = () => import('../../docs/reference/openapi.json', { with: { type: 'json' } })
const readEmulators = () => import('../../docs/reference/emulator-openapi.json', { with: { type: 'json' } })

/** The part of JSON Schema that tells fields and their meaning. */
interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly description?: string
}

type Schemas = Readonly<Record<string, Schema>>

interface Described {
  readonly column: string
  readonly meaning: string
}

/** All columns that a list can have: its own, and every field of its JSON, with what the contract says of them. */
export async function describedColumns<Row>(columns: Columns<Row>): Promise<readonly Described[]> {
  const fields = 'schema' in columns && columns.schema ? await fieldsOf(columns.schema) : new Map<string, string>()
  const own = namedColumns(columns, 'csv').map(({ name }) => name)
  const others = [...fields.keys()].filter((path) => !own.includes(path))
  return [...own, ...others].map((column) => ({ column, meaning: fields.get(column) ?? meaningOf(column, fields) }))
}

/** `payee_iban` of a table is `payee.iban` of the JSON. */
function meaningOf(column: string, fields: ReadonlyMap<string, string>): string {
  for (const [path, meaning] of fields) if (path.replaceAll('.', '_') === column) return meaning
  return ownMeanings[column] ?? ''
}

/** Columns that payctl makes of several fields. */
const ownMeanings: Readonly<Record<string, string>> = {
  name: 'Who was paid, or who paid',
  time: 'When it was accepted',
  currency: 'Of the amount',
  rail: 'pin or sinpe',
  reference: 'The rail’s reference: 25 digits',
}

/** Every field of a schema by its path, with its description. */
async function fieldsOf(name: string): Promise<ReadonlyMap<string, string>> {
  for (const read of [readServices, readEmulators]) {
    const { default: document } = await read()
    const schemas = document.components.schemas as unknown as Schemas
    if (schemas[name]) return new Map(fieldsIn(schemas[name], '', schemas))
  }
  return new Map()
}

function* fieldsIn(schema: Schema, path: string, schemas: Schemas): Generator<[string, string], void> {
  const { properties } = resolved(schema, schemas)
  for (const [name, member] of Object.entries(properties ?? {})) {
    const inner = resolved(member, schemas)
    yield [path + name, member.description ?? inner.description ?? '']
    yield* fieldsIn(inner, `${path}${name}.`, schemas)
  }
}

/** What a reference names, and of a value that may be null the value. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, anyOf } = schema
  if ($ref !== undefined) return schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}
  const inner = anyOf?.find(({ type }) => type !== 'null')
  return inner ? resolved(inner, schemas) : schema
}
