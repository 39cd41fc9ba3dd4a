import type { TObject, TSchema } from 'typebox'
import * as contract from '../src/contract/index.ts'
import { contentOf, isSchema } from '../src/contract/openapi/components.ts'
import { described } from '../src/contract/schemas/scalars.ts'

interface NamedSchema {
  readonly name: string
  readonly schema: TSchema & { readonly description?: string; readonly properties?: unknown }
}

/**
 * Names of answer schemas, by content: all exports of the contract, except schemas that are shown in full with their
 * endpoint.
 */
const named: ReadonlyMap<string, NamedSchema> = new Map(
  Object.entries(contract)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name]) => !/(Params|Query|Headers|Envelope|Body)$/.test(name))
    .flatMap(([name, schema]) => (isSchema(schema) ? [[contentOf(schema), { name, schema }] as const] : [])),
)

/** A section for each named schema. */
export const schemaSections = (): string[] => [...named.values()].flatMap(schemaSection)

function schemaSection({ name, schema }: NamedSchema): string[] {
  const heading = [`## ${name}`, ...(schema.description ? [`${schema.description}.`] : [])]
  if (!schema.properties) return [...heading, plainType(schema)]
  return [
    ...heading,
    markdownTable(
      ['name', 'type', '', 'rules'],
      fields('', schema as TObject).map(([, ...cells]) => cells),
    ),
  ]
}

/** Members of an object schema as rows: place, name, type, required or not, rules. */
export function fields(place: string, schema: TObject | undefined): string[][] {
  const required = new Set<string>(schema?.required ?? [])
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => [
    place,
    `\`${name}\``,
    typeName(property),
    required.has(name) ? 'required' : '',
    rules(property),
  ])
}

interface Shape {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly TSchema[]
  readonly items?: TSchema
  readonly properties?: Record<string, TSchema>
}

export function typeName(schema: TSchema): string {
  const name = named.get(contentOf(schema))?.name
  return name ? `[${name}](#${name.toLowerCase()})` : plainType(schema)
}

function plainType(schema: TSchema): string {
  const shape = schema as Shape
  if (shape.anyOf) return shape.anyOf.map(typeName).join(' or ')
  if (shape.enum) return shape.enum.map((value) => `\`${value}\``).join(', ')
  if (shape.const !== undefined) return `\`${shape.const}\``
  if (shape.items) return `array of ${typeName(shape.items)}`
  const item = shape.properties?.current_page && (shape.properties.data as Shape).items
  if (item) return `page of ${typeName(item)}`
  if (shape.properties)
    return `object of ${Object.keys(shape.properties)
      .map((name) => `\`${name}\``)
      .join(', ')}`
  return [shape.type ?? 'anything'].flat().join(' or ')
}

const ruleKeywords = [
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'default',
] as const

function rules(schema: TSchema): string {
  const { anyOf = [], description = '', ...own } = schema as Shape & Record<string, unknown>
  const known = named.get(contentOf(schema))
  if (known) return description === known.schema.description ? '' : description
  const mine = ruleKeywords.flatMap((keyword) => (own[keyword] === undefined ? [] : [`${keyword} \`${own[keyword]}\``]))
  const words = anyOf.flatMap((branch) => rules(description ? described(branch, '') : branch) || [])
  return [description, ...words, ...mine].filter(Boolean).join('; ')
}

/** A table in Markdown. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n')
}
