import { duration, integer } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import { sqlTables, sqlTime } from '../../contract/sql_tables.ts'
import { field, prose } from '../../output/columns.ts'

interface Flags {
  readonly limit?: number
  readonly queryTimeout?: number
}

const mostRows = 100_000

export const sql: CommandModule = (command, context) => {
  controlled(command)
    .description(
      `Read the world by one SELECT of SQLite over ${Object.keys(sqlTables).join(', ')}. Without a query, their columns ` +
        'are listed. Amounts are in minor units, times in UTC. No secret can be read, and nothing be changed.',
    )
    .argument('[query]', 'in quotes')
    .option('--limit <n>', 'rows at most (default: 1000)', integer({ min: 1, max: mostRows }))
    .option('--query-timeout <duration>', `how long, at most ${sqlTime.most / 1000}s (default: 5s)`, duration)
    .action(async (query: string | undefined, { limit, queryTimeout }: Flags) => {
      if (query === undefined) return context.output.list(tables, tableColumns)
      const body = { query, limit, timeout_ms: queryTimeout }
      const { columns, rows, more } = await steer(command, context, (control) => control.call('control.sql', { body }))
      const named = rows.map((row) => Object.fromEntries(columns.map((name, at) => [nameOf(name, at), row[at]])))
      const shown = columns.map((name, at) => field<Row>(nameOf(name, at), (row) => cellOf(row[nameOf(name, at)])))
      await context.output.list<Row>(named, shown, { none: 'No rows.' })
      if (more) context.output.note(`There are more than these ${rows.length} rows: --limit, up to ${mostRows}`)
    })
  examples(command, [
    'payctl emulator sql "select status, count(*) n from payments group by 1"',
    'payctl emulator sql "select path, broke from requests where broke <> \'\'" -o json',
    'payctl emulator sql',
  ])
}

type Row = Readonly<Record<string, unknown>>

const tables = Object.entries(sqlTables).map(([table, columns]) => ({ table, columns: columns.join(', ') }))

const tableColumns = [
  field<(typeof tables)[number]>('table', ({ table }) => table),
  prose<(typeof tables)[number]>('columns', ({ columns }) => columns),
]

/** A column that has no name of its own is called by its position. */
const nameOf = (name: string | null | undefined, at: number): string => name || `column_${at + 1}`

function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value)
}
