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
 * All columns that a list can have: its own columns and every field of its JSON. Meanings come from the contract, or,
 * for lists that payctl generates itself (`payees list`), from the schema of the command.
 */
export async function describedColumns<Row>(
  columns: Columns<Row>,
  prints: Prints | undefined,
): Promise<readonly Described[]> {
  const named = 'schema' in columns ? columns.schema : undefined
  const fields = await (named === undefined ? fieldsOfOutput(prints) : fieldsOf(named))
  const shown = namedColumns(columns, 'csv')
  const own = shown.map(({ name }) => name)
  // A column shows major units, so the description `Minor units` of the JSON field does not fit.
  for (const { name, isMoney } of shown) if (isMoney && fields.get(name) === 'Minor units') fields.set(name, '')
  const others = [...fields.keys()].filter((path) => !own.includes(path))
  const ownMeaning = named === undefined ? undefined : paymentMeanings
  return [...own, ...others].map((column) => ({
    column,
    meaning:
      fields.get(column) ||
      meaningOf(column, fields) ||
      fields.get(`amount.${column}`) ||
      ownMeaning?.[column] ||
      (derivedMeanings[column] ?? ''),
  }))
}

/** Meaning of the JSON field that matches a column: the column `payee_iban` matches the field `payee.iban`. */
function meaningOf(column: string, fields: ReadonlyMap<string, string>): string | undefined {
  for (const [path, meaning] of fields) if (path.replaceAll('.', '_') === column) return meaning
  return undefined
}

/** Meanings of columns that payctl derives from the fields of a payment. */
const paymentMeanings: Readonly<Record<string, string>> = {
  name: 'Name of the payee of an outgoing payment, or of the payer of an incoming one',
  time: 'Time at which the payment was accepted',
  currency: 'Currency of the amount',
  rail: 'pin or sinpe',
  reference: 'The rail’s reference: 25 digits',
}

/** Meanings of other columns that payctl derives from fields, and that no schema describes. */
const derivedMeanings: Readonly<Record<string, string>> = {
  signed_amount: 'Amount, negative if the money leaves your account',
  amount: 'Amount of the payment',
  total: 'Sum of the amounts',
  recipient: 'IBAN or phone of the payee',
  to: 'IBAN or phone of the payee',
  source_account_id: 'Account that pays',
  description: 'Description of the payment',
  reason: 'Why no holder was found: not registered, or not a valid value',
  iban: 'IBAN that was looked up',
  phone_or_iban: 'Phone or IBAN that was looked up',
  most: 'Largest amount that the limit allows',
  used: 'Amount that counts towards the limit already',
  left: 'Amount that the limit still allows',
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

/** Descriptions of the fields of a command's own output, keyed by the paths of the fields. */
async function fieldsOfOutput(prints: Prints | undefined): Promise<Map<string, string>> {
  if (!prints || !('schema' in prints)) return new Map()
  const { schemaDocument } = await import('./schema.ts')
  const document = schemaDocument('', await prints.schema()) as Schema & {
    readonly items?: Schema
    readonly $defs?: Schemas
  }
  return new Map(fieldsIn(document.items ?? document, '', document.$defs ?? {}))
}

function* fieldsIn(schema: Schema, path: string, schemas: Schemas): Generator<[string, string], void> {
  const { properties } = resolved(schema, schemas)
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
