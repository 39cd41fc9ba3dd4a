import type { Money } from '../client/received.ts'
import { formatMoney, namedCurrency } from '../contract/money.ts'
import { hasEnded } from '../contract/payment_names.ts'
import type { Intent, OwnColumns } from '../journal/intent.ts'
import { clearInterval, setInterval } from '../real_time.ts'
import { grouped } from '../run/counts.ts'
import type { Reporter } from '../run/reporter.ts'
import { isBrokenPipe } from '../run/sink.ts'
import { type Said, say, Text } from '../words/text.ts'
import type { Accounts } from './accounts.ts'
import type { BatchRunner } from './batch_runner.ts'

/** Result of a row, as printed. */
export interface ResultRow {
  readonly line: number | null
  readonly reference: string | null
  /** IBAN or phone. */
  readonly to: string
  /** Minor units. The display form is missing if the account's currency is unknown. */
  readonly amount: Money | { readonly value: number }
  /** Status of the payment; if no payment is known, `rejected`, `unknown` (money may have moved) or `not_sent`. */
  readonly status: string
  readonly payment_id: string | null
  /** Id of the intent. */
  readonly intent: string
  readonly error: string | null
  /** Columns of the caller's own file, if any. */
  readonly columns?: OwnColumns
}

export function resultRow(intent: Intent, accounts: Accounts): ResultRow {
  const { amount, source_account_id, recipient_iban, recipient_phone } = intent.body
  const currency = namedCurrency(accounts?.get(source_account_id)?.balance.currency ?? intent.currency)
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

/** Printed status of a row: see `ResultRow`. */
export function statusOf({ status, payment_status }: Pick<Intent, 'status' | 'payment_status'>): string {
  if (status === 'settled') return payment_status ?? status
  if (status === 'prepared') return 'not_sent'
  return status === 'rejected' ? status : 'unknown'
}

/**
 * Outcome of a row, as far as it is known. `unsuccessful`: the service accepted the row's payment, which then failed.
 */
export type RowEnd = 'completed' | 'in_progress' | 'unsuccessful' | 'rejected' | 'unknown' | 'not_sent'

export function endOf(status: string): RowEnd {
  if (status === 'not_sent' || status === 'unknown' || status === 'rejected' || status === 'completed') return status
  return hasEnded(status) ? 'unsuccessful' : 'in_progress'
}

/** Sum, in minor units, of the payments in one currency that are completed or in progress. */
interface Total {
  /** Empty if unknown. */
  readonly currency: string
  readonly amount: number
  /** Null if unknown. */
  readonly fees: number | null
  /** True if some fees are estimates. */
  readonly areFeesEstimated: boolean
}

/** Counts rows by outcome, and adds up payments. */
export class Tally {
  readonly total: number
  done = 0
  readonly #counts = new Map<RowEnd, number>()
  readonly #totals = new Map<string, Total>()

  constructor(total: number) {
    this.total = total
  }

  /** `fee`: the fee that the service returned; without this fee, the expected fee is added. */
  add({ status, amount }: ResultRow, fee: number | null | undefined, expectedFee: number | null): void {
    this.done += 1
    const end = endOf(status)
    this.#counts.set(end, this.of(end) + 1)
    if (end !== 'completed' && end !== 'in_progress') return
    const currency = ('currency' in amount && amount.currency) || ''
    const paid = fee ?? expectedFee
    const sum = this.#totals.get(currency) ?? { currency, amount: 0, fees: 0, areFeesEstimated: false }
    this.#totals.set(currency, {
      currency,
      amount: sum.amount + (amount.value ?? 0),
      fees: sum.fees === null || paid === null ? null : sum.fees + paid,
      areFeesEstimated: sum.areFeesEstimated || typeof fee !== 'number',
    })
  }

  /** One total for each currency. */
  get totals(): readonly Total[] {
    return [...this.#totals.values()]
  }

  /** Counts rows that this run did not reach but an earlier run may have sent. Returns their number. */
  leaveInDoubt(rows: number): number {
    const left = Math.min(rows, this.total - this.done)
    this.done += left
    this.#counts.set('unknown', this.of('unknown') + left)
    return left
  }

  of(end: RowEnd): number {
    return this.#counts.get(end) ?? 0
  }

  /** Number of rows whose payment the service has accepted: money has moved, will move, or the payment has failed. */
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

/**
 * Empty part of the templates that count rows. This part makes the templates different from the same English words
 * about other things, because the Spanish words differ.
 */
export const ofRows = ''

/** Milliseconds between updates of the counts. */
const progressInterval = 250

/** Shows the batch's progress until the returned function is called. */
export function showProgress(tally: Tally, runner: BatchRunner, reporter: Reporter): () => void {
  const show = () => reporter.progress({ done: tally.done, total: tally.total, detail: detailOf(tally, runner) })
  const timer = setInterval(show, progressInterval)
  return () => {
    clearInterval(timer)
    reporter.progress(null)
  }
}

function detailOf(tally: Tally, runner: BatchRunner): Said {
  const wait = Math.ceil(runner.waiting / 1000)
  const parts = [
    tally.of('rejected') > 0 && say`${grouped(tally.of('rejected'))} refused${ofRows}`,
    tally.of('unsuccessful') > 0 && say`${grouped(tally.of('unsuccessful'))} failed${ofRows}`,
    tally.of('unknown') > 0 && say`${grouped(tally.of('unknown'))} in doubt`,
    wait > 1 && say`waits ${wait} s: rate limit`,
    runner.activity,
  ]
  const sent = say`${grouped(Math.max(tally.sent, runner.accepted))} sent`
  return parts.filter((part) => part instanceof Text).reduce((all, part) => say`${all}   ${part}`, sent)
}

/**
 * Writes rows as they become known. If writing fails, for example because the reader closes the pipe or the disk is
 * full, the remaining rows are still processed. Returns the write error; undefined if there is none, or if the reader
 * closed the pipe.
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
    for await (const _ of kept); // process the rest
    return isBrokenPipe(error) ? undefined : error
  }
}
