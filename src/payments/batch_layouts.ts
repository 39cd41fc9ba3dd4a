import type { SettingsFormat } from '../config/settings.ts'
import type { Schema } from '../config/settings_schema.ts'
import { layoutsFile } from '../files/directories.ts'
import { plainName } from '../sheets/column_names.ts'
import { type ColumnMap, type ColumnName, columnNames } from './batch_columns.ts'

// Layouts of payment files: the columns that a person has agreed to for files with the same headings.

interface Layout {
  readonly headings: readonly string[]
  /** Heading of each of payctl's columns that has another name in the file. */
  readonly columns: Readonly<Partial<Record<ColumnName, string>>>
}

interface Content {
  /** The newest first. */
  readonly layouts: readonly Layout[]
}

const text: Schema = { type: 'string' }

export const layoutSettings: SettingsFormat<Content> = {
  noun: 'layouts',
  fileIn: layoutsFile,
  entry: 'layout',
  empty: { layouts: [] },
  isForPayments: true,
  schema: {
    type: 'object',
    required: ['layouts'],
    properties: {
      layouts: {
        type: 'array',
        items: {
          type: 'object',
          required: ['headings', 'columns'],
          properties: {
            headings: { type: 'array', minItems: 1, items: text },
            columns: {
              type: 'object',
              properties: Object.fromEntries(columnNames.map((name) => [name, text])),
              additionalProperties: false,
            },
          },
        },
      },
    },
  },
}

/** Maximum number of layouts to remember. */
const mostLayouts = 200

/** Key of a layout: equal for the same headings in any order. */
const keyOf = (headings: readonly string[]): string =>
  JSON.stringify(
    headings
      .map(plainName)
      .filter((name) => name !== '')
      .toSorted(),
  )

/** Columns that a person has agreed to for files with these headings. */
export function layoutOf(headings: readonly string[], { layouts }: Content): ColumnMap | undefined {
  const key = keyOf(headings)
  const found = key === '[]' ? undefined : layouts.find((layout) => keyOf(layout.headings) === key)
  return found && new Map(Object.entries(found.columns) as [ColumnName, string][])
}

/** Adds a layout: these columns for files with these headings. */
export function withLayout(headings: readonly string[], columns: ColumnMap, { layouts }: Content): Content {
  const layout = { headings: headings.filter((heading) => heading !== ''), columns: Object.fromEntries(columns) }
  const others = layouts.filter((other) => keyOf(other.headings) !== keyOf(headings))
  return { layouts: [layout, ...others].slice(0, mostLayouts) }
}

/** Columns and their headings as text: `to = Cuenta IBAN, name = Nombre`. */
export const describeColumns = (columns: ColumnMap): string =>
  [...columns].map(([name, heading]) => `${name} = ${heading}`).join(', ')
