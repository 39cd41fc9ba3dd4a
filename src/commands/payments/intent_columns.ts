import type { Intent, IntentStatus } from '../../journal/intent.ts'
import { decimal } from '../../money/decimal.ts'
import { amountWidth, field, id, time, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { Tone } from '../../run/colour.ts'
import type { Format } from '../../run/globals.ts'

const tones: Readonly<Record<IntentStatus, Tone>> = {
  prepared: 'dim',
  sent: 'busy',
  settled: 'good',
  rejected: 'bad',
  unknown: 'bad',
}

const compactColumns: readonly Column<Intent>[] = [
  { ...field('id', (intent) => intent.id), width: 'int_4k7qz2m9x1ab'.length, uncut: true },
  time('created_at', (intent) => intent.created_at),
  { name: 'status', data: ({ status }) => status, tone: ({ status }) => tones[status] },
  {
    name: 'amount',
    data: ({ body }) => decimal(body.amount),
    align: 'right',
    width: amountWidth - ' CRC'.length,
    uncut: true,
  },
  { ...field('recipient', ({ body }) => body.recipient_iban ?? body.recipient_phone), width: 22, uncut: true },
  id('payment_id', (intent) => intent.payment_id),
  words('error', (intent) => intent.error),
  field('batch', ({ batch }) => batch),
]

const allColumns: readonly Column<Intent>[] = [
  ...compactColumns,
  field('line', ({ line }) => line),
  field('reference', ({ reference }) => reference),
  field('payment_status', (intent) => intent.payment_status),
  field('source_account_id', ({ body }) => body.source_account_id),
  field('description', ({ body }) => body.description),
  field('idempotency_key', (intent) => intent.idempotency_key),
  field('profile', ({ profile }) => profile),
  field('base_url', (intent) => intent.base_url),
  field('user', ({ user }) => user),
  field('world', ({ world }) => world),
  time('updated_at', (intent) => intent.updated_at),
]

export const intentColumns = (format: Format): readonly Column<Intent>[] =>
  format === 'table' ? compactColumns : allColumns
