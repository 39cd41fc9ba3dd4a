import { duration, integer } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { array } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { sqlTables, sqlTime } from '../../contract/emulator_names.ts'
import { columnsOf, field, prose } from '../../output/columns.ts'

const mostRows = 100_000

export const sql = command({
  summary: 'Read the world by a SELECT',
  about:
    `Read the world by one SELECT of SQLite over ${Object.keys(sqlTables).join(', ')}. Without a query, their columns ` +
    'are listed. Amounts are in minor units, times in UTC. No secret can be read, and nothing be changed.',
  args: { '[query]': { about: 'in quotes' } },
  flags: {
    ...controlFlags,
    '--limit <n>': { about: 'rows at most (default: 1000)', parse: integer({ min: 1, max: mostRows }) },
    '--query-timeout <duration>': {
      about: `how long, at most ${sqlTime.most / 1000}s (default: 5s)`,
      parse: duration,
    },
  },
  prints: array(async () => (await import('typebox')).Type.Object({})),
  examples: [
    'payctl emulator sql "select status, count(*) n from payments group by 1"',
    'payctl emulator sql "select path, broke from requests where broke <> \'\'" -o json',
    'payctl emulator sql',
  ],
  async run({ query, limit, queryTimeout, ...steering }, context) {
    if (query === undefined) return context.output.list(tables, tableColumns)
    const body = { query, ...(limit && { limit }), ...(queryTimeout && { timeout_ms: queryTimeout }) }
    const { columns, rows, more } = await steer(steering, context, (control) => control.call('control.sql', { body }))
    const named = rows.map((row) => Object.fromEntries(columns.map((name, at) => [nameOf(name, at), row[at]])))
    const shown = columns.map((name, at) => field(nameOf(name, at), (row: Row) => cellOf(row[nameOf(name, at)])))
    await context.output.list<Row>(named, shown, { none: 'No rows.' })
    if (more) context.output.note(`There are more than these ${rows.length} rows: --limit, up to ${mostRows}`)
  },
})

type Row = Readonly<Record<string, unknown>>

const tables = Object.entries(sqlTables).map(([table, columns]) => ({ table, columns: columns.join(', ') }))

const tableColumns = columnsOf<(typeof tables)[number]>('table', prose('columns'))

/** A column without a name is called by its position. */
const nameOf = (name: string | null | undefined, at: number): string => name || `column_${at + 1}`

function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value)
}
