import { decimal } from '../../money/decimal.ts'
import { amountWidth, detail, field, id, status, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { ResultRow } from '../../payments/batch_run.ts'
import type { Summary } from '../../payments/batch_summary.ts'

export const resultColumns: readonly Column<ResultRow>[] = [
  { ...field<ResultRow>('line', ({ line }) => line), align: 'right' },
  field('reference', ({ reference }) => reference),
  { ...field('to', ({ to }) => to), width: 22, uncut: true },
  {
    name: 'amount',
    data: ({ amount }) => decimal(amount.value),
    align: 'right',
    width: amountWidth - ' CRC'.length,
    uncut: true,
  },
  field('currency', ({ amount }) => ('currency' in amount ? amount.currency : null)),
  status('status', (row) => row.status),
  id('payment_id', (row) => row.payment_id),
  detail('intent', ({ intent }) => intent),
  words('error', ({ error }) => error),
]

/** A summary is data for --dry-run. */
export const summaryColumns: readonly Column<Summary>[] = [
  field('batch', ({ batch }) => batch),
  field('rows', ({ rows }) => rows),
  field('sent_before', ({ sent_before }) => sent_before),
  field('to_send', ({ to_send }) => to_send),
  field('in_doubt', ({ in_doubt }) => in_doubt),
  field('payees', ({ payees }) => payees),
  field('warnings', ({ warnings }) => warnings.length),
]
