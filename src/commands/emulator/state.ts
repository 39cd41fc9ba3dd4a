import { duration, integer } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { array } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { sqlTables, sqlTime } from '../../contract/emulator_names.ts'
import { columnsOf, field, prose, status as statusColumn, time } from '../../output/columns.ts'

type State = RowOf<'control.state'>

const columns = columnsOf<State>(
  'version',
  'world',
  'seed',
  time('clock', ({ clock }: State) => clock.now),
  field('frozen', ({ clock }: State) => clock.frozen),
  field('settle_ms', ({ settle_ms }: State) => settleText(settle_ms)),
  'lenient_iban',
  'users',
  'accounts',
  field('payments', ({ payments }: State) => counted(payments)),
  'unfinished',
  field('subscriptions', ({ subscriptions }: State) => counted(subscriptions)),
  field('deliveries', ({ deliveries }: State) => counted(deliveries)),
  statusColumn('pin', ({ rails }: State) => rails.pin),
  statusColumn('sinpe_movil', ({ rails }: State) => rails.sinpe_movil),
  statusColumn('fx', ({ fx }: State) => (fx.offline ? 'offline' : 'online')),
  'ledger_balanced',
)

export const status = endpointCommand('control.state', {
  summary: 'Show counts and settings of the world',
  about: 'Show counts and settings of the world, and whether its ledger balances.',
  columns,
  examples: ['payctl emulator status', 'payctl emulator status --json'],
})

export const reset = endpointCommand('control.reset', {
  summary: 'Return the world to its seed',
  about:
    'Return the world to its seed, without asking: accounts, payments, users, tokens, subscriptions, settings, clock.',
  columns,
  examples: ['payctl emulator reset', 'payctl emulator reset --quiet --json'],
})

/** Settlement time of both rails in milliseconds, for people: `1000`, or `pin 5000, sinpe_movil 3000..15000`. */
function settleText({ pin, sinpe_movil }: State['settle_ms']): string {
  const [first, second] = [pin, sinpe_movil].map((time) =>
    typeof time === 'object' && time !== null ? `${time.from}..${time.to}` : `${time}`,
  )
  return first === second ? `${first}` : `pin ${first}, sinpe_movil ${second}`
}

/** Counts for people, leaving out zeros: `2 completed, 1 failed`. */
function counted(counts: Readonly<Record<string, number | null | undefined>>): string {
  const some = Object.entries(counts).filter(([, count]) => count)
  return some.map(([name, count]) => `${count} ${name}`).join(', ') || '0'
}

const mostRows = 100_000

export const sql = command({
  summary: 'Read the world with a SELECT',
  about:
    `Read the world with one SELECT of SQLite over ${Object.keys(sqlTables).join(', ')}. Without a query, lists the ` +
    'columns of these tables. Amounts are in minor units, times in UTC. A query can’t read secrets or change anything.',
  args: { '[query]': { about: 'query, in quotes' } },
  flags: {
    ...controlFlags,
    '--limit <n>': { about: 'maximum number of rows (default: 1000)', parse: integer({ min: 1, max: mostRows }) },
    '--query-timeout <duration>': {
      about: `time limit, at most ${sqlTime.most / 1000}s (default: 5s)`,
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
    const names = distinctNames(columns)
    const named = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
    const shown = names.map((name) => field(name, (row: Row) => cellOf(row[name])))
    await context.output.list<Row>(named, shown, { none: 'No rows.' })
    if (more) context.output.note(`There are more rows: raise --limit, which is ${rows.length}, to at most ${mostRows}`)
  },
})

type Row = Readonly<Record<string, unknown>>

const tables = Object.entries(sqlTables).map(([table, columns]) => ({ table, columns: columns.join(', ') }))

const tableColumns = columnsOf<(typeof tables)[number]>('table', prose('columns'))

/**
 * Names of the columns. A column without a name is named after its position: `column_2`; a repeated name gets a number:
 * `id_2`.
 */
function distinctNames(columns: readonly (string | null | undefined)[]): readonly string[] {
  const all = columns.map((name, at) => name || `column_${at + 1}`)
  const taken = new Set(all)
  const used = new Set<string>()
  return all.map((name) => {
    let own = name
    for (let number = 2; used.has(own); number += 1) {
      const next = `${name}_${number}`
      if (!taken.has(next)) own = next
    }
    taken.add(own)
    used.add(own)
    return own
  })
}

function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value)
}
