import type { Account, Money } from '../contract/index.ts'
import { money as moneyOf } from '../contract/money.ts'
import { terminalStatuses } from '../contract/terminal_statuses.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { Intent } from '../journal/intent.ts'

/** The user's accounts by id; null when the token may not read them. */
export type Accounts = ReadonlyMap<string, Account> | null

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
}

export function resultRow(intent: Intent, accounts: Accounts): ResultRow {
  const { amount, source_account_id, recipient_iban, recipient_phone } = intent.body
  const currency = accounts?.get(source_account_id)?.balance.currency
  return {
    line: intent.line,
    reference: intent.reference,
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

/** What has become of a row, as far as is known. `unsuccessful`: the service accepted its payment, which then failed. */
export type RowEnd = 'completed' | 'in_progress' | 'unsuccessful' | 'rejected' | 'unknown' | 'not_sent'

function endOf(status: string): RowEnd {
  if (status === 'not_sent' || status === 'unknown' || status === 'rejected' || status === 'completed') return status
  return terminalStatuses.some((end) => end === status) ? 'unsuccessful' : 'in_progress'
}

/** Counts what became of the rows. */
export class Tally {
  readonly total: number
  done = 0
  readonly #counts = new Map<RowEnd, number>()

  constructor(total: number) {
    this.total = total
  }

  add({ status }: Pick<ResultRow, 'status'>): void {
    this.done += 1
    const end = endOf(status)
    this.#counts.set(end, this.of(end) + 1)
  }

  /** Counts rows that the run did not come to, though an earlier one may have sent them. */
  leaveInDoubt(rows: number): void {
    const left = Math.min(rows, this.total - this.done)
    this.done += left
    this.#counts.set('unknown', this.of('unknown') + left)
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

/** Rows that are wrong, by line: the first `limit`, and how many there are. */
export class Faults {
  readonly #limit: number
  readonly #byLine: Record<string, readonly string[]> = {}
  #count = 0

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit
  }

  add(line: number, faults: readonly string[]): void {
    this.#count += 1
    if (this.#count <= this.#limit) this.#byLine[`line ${line}`] = faults
  }

  throwIfAny(): void {
    if (this.#count === 0) return
    const more = this.#count > this.#limit ? ` The first ${this.#limit}:` : ''
    const rows = this.#count === 1 ? '1 row is' : `${this.#count} rows are`
    const error = new UsageError(
      `${rows} wrong. Nothing was sent.${more}`,
      this.#count > this.#limit ? 'Correct them and run it again; --json lists all' : 'Correct them and run it again',
    )
    error.errors = this.#byLine
    throw error
  }
}
