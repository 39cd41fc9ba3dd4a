import type { AuditLine } from '../audit/audit.ts'
import { integer } from '../cli/arguments.ts'
import { command } from '../cli/command.ts'
import { array } from '../cli/prints.ts'
import { decimal, formatMoney } from '../contract/money.ts'
import { amountWidth, clock, columnsOf, field, prose, time, words } from '../output/columns.ts'
import type { Column, Layout } from '../output/output.ts'
import { dayOf } from '../run/time.ts'
import { foreign, say } from '../words/text.ts'
import { periodFlags, periodOf } from './period.ts'

const amount: Column<AuditLine> = {
  ...field<AuditLine>('amount', (line) => (line.amount === null ? null : decimal(line.amount))),
  text: (line) => (line.amount === null ? '' : formatMoney(line.amount, line.currency ?? '').trim()),
  align: 'right',
  uncut: true,
  isMoney: true,
}

/** The column with its text translated: a word of the audit file, or a message that was saved there in English. */
const inWords = (column: Column<AuditLine>): Column<AuditLine> => ({
  ...column,
  text: (line) => foreign(String(column.data(line) ?? '')),
})

const event = inWords(field('event'))
const decidedBy = inWords(field('decided_by'))

const columns = columnsOf<AuditLine>(
  time('time'),
  event,
  amount,
  '-currency',
  'payee',
  decidedBy,
  inWords(words('what')),
  '-profile',
  '-service',
  '-user',
  '-key',
  '-intent',
  '-payment',
)

const layout: Layout<AuditLine> = {
  columns,
  table: columnsOf<AuditLine>(
    clock('time', (line: AuditLine) => line.time),
    // With this minimum width, the heading line has room for the day to the left of this column's heading.
    { ...amount, least: amountWidth },
    event,
    'payee',
    { ...decidedBy, dispensable: true },
    inWords(prose('what')),
  ),
  wide: columns,
  group: { over: 'time', of: (line) => dayOf(line.time) },
}

export const audit = command({
  summary: 'List what payctl was asked to do, and who agreed',
  about:
    'List what payctl was asked to do on this machine, and who agreed: each payment (before it is sent, and its ' +
    'result), each refusal by limits, each loosening of limits. Oldest first. payctl only appends to the file; it ' +
    'never cuts or rotates it. The owner of the file can change it. An amount without a currency is in the account’s ' +
    'currency, which payctl did not know yet.',
  flags: {
    ...periodFlags,
    '-n, --last <number>': {
      about: 'number of newest lines to show',
      parse: integer({ min: 1, max: 1_000_000 }),
      default: 100,
    },
  },
  prints: array(async () => (await import('./schema/machine_shapes.ts')).auditLine),
  columns: layout,
  examples: ['payctl audit', 'payctl audit -n 20 --since 7d', 'payctl audit -o json'],
  async run({ last, ...period }, { stateDir, output }) {
    const { readAudit } = await import('../audit/read_audit.ts')
    const { lines, damaged } = await readAudit(stateDir, { ...periodOf(period), last })
    await output.list(lines, layout, { none: 'No audit entries.' })
    if (damaged === 1) output.note("1 line of the audit file can't be read.")
    else if (damaged > 1) output.note(say`${damaged} lines of the audit file can't be read.`)
  },
})
