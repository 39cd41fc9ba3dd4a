import type { Currency, Money } from '../../contract/index.ts'
import { money as moneyOf } from '../../contract/money.ts'
import type { Intent } from '../../journal/intent.ts'
import { decimal } from '../../money/decimal.ts'
import { amountWidth, detail, field, id, status, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

/** What is told of a row once it is known. */
export interface ResultRow {
  readonly line: number | null
  readonly reference: string | null
  readonly to: string
  /** Without the display form where the account's currency is not known. */
  readonly amount: Money | { readonly value: number }
  /** The payment's own; else `rejected`, `unknown` (money may have moved) or `not_sent`. */
  readonly status: string
  readonly payment_id: string | null
  readonly intent: string
  readonly error: string | null
}

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

export type Currencies = ReadonlyMap<string, Currency>

/** `place` is where the row stands in the file at hand, which may be another than the one it was sent from. */
export function resultRow(
  intent: Intent,
  currencies: Currencies,
  place: Pick<Intent, 'line' | 'reference'> = intent,
): ResultRow {
  const { amount, source_account_id, recipient_iban, recipient_phone } = intent.body
  const currency = currencies.get(source_account_id)
  return {
    line: place.line,
    reference: place.reference,
    to: recipient_iban ?? recipient_phone ?? '',
    amount: currency ? moneyOf(amount, currency) : { value: amount },
    status: statusOf(intent),
    payment_id: intent.payment_id,
    intent: intent.id,
    error: intent.error,
  }
}

function statusOf({ status, payment_status }: Intent): string {
  if (status === 'settled') return payment_status ?? status
  if (status === 'prepared') return 'not_sent'
  return status === 'rejected' ? status : 'unknown'
}
