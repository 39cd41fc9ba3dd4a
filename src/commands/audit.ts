import type { AuditLine } from '../audit/audit.ts'
import { integer } from '../cli/arguments.ts'
import type { CommandModule, Context } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'
import { listOptions } from '../cli/list_options.ts'
import { formatMoney } from '../contract/money.ts'
import { decimal } from '../money/decimal.ts'
import { amountWidth, clock, detail, field, prose, time, words } from '../output/columns.ts'
import type { Column, Layout } from '../output/output.ts'
import { dayOf } from '../run/time.ts'
import { addPeriod, type PeriodFlags, periodOf } from './period.ts'

interface Flags extends PeriodFlags {
  readonly last: number
}

export const audit: CommandModule = (command, context) => {
  addPeriod(command)
    .description(
      'What was asked of this payctl, and who agreed to it: each payment before it left and what became of it, each ' +
        'refusal by limits, each loosening of them. From a file to which lines are only added; it is never cut or ' +
        'rotated. Oldest first. An amount without a currency is in that of the account, which payctl had not been told by ' +
        'then. Whoever owns the file can change it.',
    )
    .option('-n, --last <number>', 'the last so many', integer({ min: 1, max: 1_000_000 }), 100)
    .action((flags: Flags) => show(flags, context))
  listOptions(command, layout, context)
  examples(command, ['payctl audit', 'payctl audit -n 20 --since 7d', 'payctl audit -o json'])
}

async function show({ last, ...period }: Flags, { stateDir, output }: Context): Promise<void> {
  const { readAudit } = await import('../audit/read_audit.ts')
  const { lines, damaged } = await readAudit(stateDir, { ...periodOf(period), last })
  await output.list(lines, layout, { none: 'Nothing has been sent, refused or loosened.' })
  if (damaged > 0) output.note(`${damaged} ${damaged === 1 ? 'line' : 'lines'} of the audit file can't be read.`)
}

const amount: Column<AuditLine> = {
  ...field<AuditLine>('amount', (line) => (line.amount === null ? null : decimal(line.amount))),
  text: (line) => (line.amount === null ? '' : formatMoney(line.amount, line.currency ?? '').trim()),
  align: 'right',
  uncut: true,
  isMoney: true,
}

const columns: readonly Column<AuditLine>[] = [
  time('time', (line) => line.time),
  field('event', (line) => line.event),
  amount,
  detail('currency', (line) => line.currency),
  field('payee', (line) => line.payee),
  field('decided_by', (line) => line.decided_by),
  words('what', (line) => line.what),
  detail('profile', (line) => line.profile),
  detail('service', (line) => line.service),
  detail('user', (line) => line.user),
  detail('key', (line) => line.key),
  detail('intent', (line) => line.intent),
  detail('payment', (line) => line.payment),
]

const layout: Layout<AuditLine> = {
  columns,
  table: [
    clock('time', (line) => line.time),
    // So that a day has room beside its heading.
    { ...amount, least: amountWidth },
    field('event', (line) => line.event),
    field('payee', (line) => line.payee),
    { ...field<AuditLine>('decided_by', (line) => line.decided_by), dispensable: true },
    prose('what', (line) => line.what),
  ],
  wide: columns,
  group: { over: 'time', of: (line) => dayOf(line.time) },
}
