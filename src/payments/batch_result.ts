import type { Money } from '../client/received.ts'
import { formatMoney, namedCurrency } from '../contract/money.ts'
import { hasEnded } from '../contract/terminal_statuses.ts'
import type { Intent, OwnColumns } from '../journal/intent.ts'
import { grouped } from '../run/counts.ts'
import type { Reporter } from '../run/reporter.ts'
import { isBrokenPipe } from '../run/sink.ts'
import type { Accounts } from './accounts.ts'
import type { BatchRunner } from './batch_runner.ts'

/** What is told of a row once it is known. */
export interface ResultRow {
  readonly line: number | null
  readonly reference: string | null
  /** IBAN or phone. */
  readonly to: string
  /** Minor units. Without the display form where the account's currency is not known. */
  readonly amount: Money | { readonly value: number }
  /** The payment's own; else `rejected`, `unknown` (money may have moved) or `not_sent`. */
  readonly status: string
  readonly payment_id: string | null
  /** Id of the intent. */
  readonly intent: string
  readonly error: string | null
  /** Columns of the caller's own file, if it has any. */
  readonly columns?: OwnColumns
}

export function resultRow(intent: Intent, accounts: Accounts): ResultRow {
  const { amount, source_account_id, recipient_iban, recipient_phone } = intent.body
  const currency = namedCurrency(accounts?.get(source_account_id)?.balance.currency)
  return {
    line: intent.line,
    reference: intent.reference,
    to: recipient_iban ?? recipient_phone ?? '',
    amount: currency ? { value: amount, currency, formatted: formatMoney(amount, currency) } : { value: amount },
    status: statusOf(intent),
    payment_id: intent.payment_id,
    intent: intent.id,
    error: intent.error,
    ...(intent.columns && { columns: intent.columns }),
  }
}

function statusOf({ status, payment_status }: Intent): string {
  if (status === 'settled') return payment_status ?? status
  if (status === 'prepared') return 'not_sent'
  return status === 'rejected' ? status : 'unknown'
}

/** What has become of a row, as far as is known. `unsuccessful`: the service accepted its payment, which then failed. */
export type RowEnd = 'completed' | 'in_progress' | 'unsuccessful' | 'rejected' | 'unknown' | 'not_sent'

export function endOf(status: string): RowEnd {
  if (status === 'not_sent' || status === 'unknown' || status === 'rejected' || status === 'completed') return status
  return hasEnded(status) ? 'unsuccessful' : 'in_progress'
}

/** Payments of one currency that were made or are on their way, in minor units. */
interface Total {
  /** Empty where it is not known. */
  readonly currency: string
  readonly amount: number
  /** Null where it is not known. */
  readonly fees: number | null
  /** Some of the fees are estimates. */
  readonly areFeesEstimated: boolean
}

/** What is counted of a row. */
interface Counted {
  readonly status: string
  readonly amount: { readonly value?: number | null | undefined; readonly currency?: string | null | undefined }
  readonly fee: number | null
  readonly isFeeKnown: boolean
}

/** Counts what became of the rows, and adds up what was paid. */
export class Tally {
  readonly total: number
  done = 0
  readonly #counts = new Map<RowEnd, number>()
  readonly #totals = new Map<string, Total>()

  constructor(total: number) {
    this.total = total
  }

  add({ status, amount, fee, isFeeKnown }: Counted): void {
    this.done += 1
    const end = endOf(status)
    this.#counts.set(end, this.of(end) + 1)
    if (end !== 'completed' && end !== 'in_progress') return
    const currency = amount.currency ?? ''
    const sum = this.#totals.get(currency) ?? { currency, amount: 0, fees: 0, areFeesEstimated: false }
    this.#totals.set(currency, {
      currency,
      amount: sum.amount + (amount.value ?? 0),
      fees: sum.fees === null || fee === null ? null : sum.fees + fee,
      areFeesEstimated: sum.areFeesEstimated || !isFeeKnown,
    })
  }

  /** One for each currency. */
  get totals(): readonly Total[] {
    return [...this.#totals.values()]
  }

  /** Counts rows that the run did not come to, though an earlier one may have sent them. Returns how many they are. */
  leaveInDoubt(rows: number): number {
    const left = Math.min(rows, this.total - this.done)
    this.done += left
    this.#counts.set('unknown', this.of('unknown') + left)
    return left
  }

  of(end: RowEnd): number {
    return this.#counts.get(end) ?? 0
  }

  /** Rows whose payment the service has named: money moved, moves, or will not. */
  get sent(): number {
    return this.of('completed') + this.of('in_progress') + this.of('unsuccessful')
  }

  get failed(): number {
    return this.of('rejected') + this.of('unknown') + this.of('unsuccessful')
  }

  get unsent(): number {
    return this.total - this.done + this.of('not_sent')
  }
}

/** Milliseconds between two looks at the counts. */
const progressInterval = 250

/** Reports how far the batch has come, until the returned function is called. */
export function showProgress(tally: Tally, runner: BatchRunner, reporter: Reporter): () => void {
  const show = () => reporter.progress({ done: tally.done, total: tally.total, detail: detailOf(tally, runner) })
  const timer = setInterval(show, progressInterval)
  return () => {
    clearInterval(timer)
    reporter.progress(null)
  }
}

function detailOf(tally: Tally, runner: BatchRunner): string {
  const wait = Math.ceil(runner.waiting / 1000)
  const parts = [
    `${grouped(Math.max(tally.sent, runner.accepted))} sent`,
    tally.of('rejected') > 0 && `${grouped(tally.of('rejected'))} refused`,
    tally.of('unsuccessful') > 0 && `${grouped(tally.of('unsuccessful'))} failed`,
    tally.of('unknown') > 0 && `${grouped(tally.of('unknown'))} in doubt`,
    wait > 1 && `waits ${wait} s: rate limit`,
    runner.activity,
  ]
  return parts.filter((part) => part).join('   ')
}

/**
 * Writes rows as they become known. When the reader goes away or the disk is full, the rest of the rows is still worked
 * through. Returns the error of writing then; undefined when the reader closed the pipe.
 */
export async function writeRows<Row>(
  rows: AsyncIterable<Row>,
  write: (rows: AsyncIterable<Row>) => Promise<void>,
): Promise<unknown> {
  const source = rows[Symbol.asyncIterator]()
  const kept: AsyncIterable<Row> = { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) }
  try {
    await write(kept)
    return undefined
  } catch (error) {
    for await (const _ of kept); // what is left
    return isBrokenPipe(error) ? undefined : error
  }
}
