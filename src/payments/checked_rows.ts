import type { Client } from '../client/client.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { StagedRows } from '../journal/staged_rows.ts'
import { type Said, say } from '../words/text.ts'
import { type Accounts, readAccounts } from './accounts.ts'

// Checks every row of a batch before the first row is paid.

/** Rows without faults, and the user's accounts. */
export interface CheckedRows {
  readonly staged: StagedRows
  readonly accounts: Accounts
}

export interface StagingOptions {
  readonly client: Client
  /** The caller's id for the batch; each row is paid at most once under this id. */
  readonly batchId?: string | undefined
  /** Stages the rows. Throws UsageError that names wrong rows. */
  readonly stage: (staged: StagedRows, accounts: Accounts) => Promise<void>
  /** Called with the wrong rows before the error is thrown, while the original rows are still available. */
  readonly onWrong?: ((error: WrongRowsError, staged: StagedRows) => Promise<void>) | undefined
}

/** Stages and checks rows, and passes them to `work`. */
export async function withCheckedRows<T>(options: StagingOptions, work: (rows: CheckedRows) => Promise<T>): Promise<T> {
  const accounts = await readAccounts(options.client)
  const staged = new StagedRows(options.batchId)
  try {
    await options.stage(staged, accounts)
    return await work({ staged, accounts })
  } catch (error) {
    if (error instanceof WrongRowsError) await options.onWrong?.(error, staged)
    throw error
  } finally {
    staged.close()
  }
}

/** Rows are wrong; nothing was sent. */
class WrongRowsError extends UsageError {
  override readonly name = 'UsageError'
  /** Faults of every wrong row, by line, even of rows that `errors` does not name. */
  readonly faults: ReadonlyMap<number, readonly Said[]>

  constructor(message: Said, next: NextStep, faults: ReadonlyMap<number, readonly Said[]>) {
    super(message, next)
    this.faults = faults
  }
}

/** Faults of wrong rows, by line; the error names the first `limit` rows. */
export class Faults {
  readonly #limit: number
  readonly #byLine = new Map<number, readonly Said[]>()

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit
  }

  /** Number of wrong rows. */
  get count(): number {
    return this.#byLine.size
  }

  add(line: number, faults: readonly Said[]): void {
    this.#byLine.set(line, [...(this.#byLine.get(line) ?? []), ...faults])
  }

  throwIfAny(): void {
    const { size } = this.#byLine
    if (size === 0) return
    const wrong = size === 1 ? say`1 row is wrong. Nothing was sent.` : say`${size} rows are wrong. Nothing was sent.`
    const message = size > this.#limit ? say`${wrong} The first ${this.#limit}:` : wrong
    const next = { kind: 'correct_rows', areAllNamed: size <= this.#limit } as const
    const error = new WrongRowsError(message, next, this.#byLine)
    const named = [...this.#byLine].toSorted(([one], [other]) => one - other).slice(0, this.#limit)
    error.saidErrors = Object.fromEntries(named.map(([line, faults]) => [`line ${line}`, faults]))
    throw error
  }
}
