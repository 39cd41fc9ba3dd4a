import type { Database as Connection, Statement as Prepared, RunResult } from 'better-sqlite3'
import type { MomentCause } from '../../src/contract/index.ts'
import { setImmediate } from '../../src/real_time.ts'

/** The writes of one turn of the event loop, and the promise of their commit. */
interface Batch {
  readonly settled: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Reason for a write. */
export interface Cause {
  readonly kind: MomentCause['kind']
  /** For people. */
  readonly what: string
  /** Id of a delivery, or of a request once it is answered. */
  id: string | null
  /** Id of the payment that the write is about. */
  payment: string | null
}

interface Hooks {
  /** Called after each write that did not throw, except those without a moment. */
  readonly onWrite?: (cause: (() => Cause) | undefined) => void
  /** Called after a write that threw before it changed a row. */
  readonly onRefusal?: () => void
  readonly onRollback?: () => void
  readonly onCommit?: () => void
}

const noop = (): void => {}

/**
 * Writes to a world's SQLite: all writes of one turn of the event loop share a commit, and every answer waits for it.
 * docs/decisions/transactions.md gives the reasons, including the reason for the lack of savepoints.
 */
export class Database {
  readonly connection: Connection
  readonly #begin: Statement<[], unknown>
  readonly #commit: Statement<[], unknown>
  readonly #rollback: Statement<[], unknown>
  readonly #changes: Statement<[], number>
  readonly #onWrite: NonNullable<Hooks['onWrite']>
  readonly #onRefusal: () => void
  readonly #onRollback: () => void
  readonly #onCommit: () => void
  readonly #pages: Statement<[], number>
  readonly #pageSize: Statement<[], number>
  #batch: Batch | null = null

  /** `onRollback` is called after everything since the last commit was undone, `onCommit` after a commit. */
  constructor(
    connection: Connection,
    { onWrite = noop, onRefusal = noop, onRollback = noop, onCommit = noop }: Hooks = {},
  ) {
    this.connection = connection
    this.#onWrite = onWrite
    this.#onRefusal = onRefusal
    this.#onRollback = onRollback
    this.#onCommit = onCommit
    const db = new Statements(connection)
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#pages = db.prepare<[], number>('PRAGMA page_count').pluck()
    this.#pageSize = db.prepare<[], number>('PRAGMA page_size').pluck()
    this.#changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  }

  /**
   * Runs `work` in the batch of this turn; `settled` resolves once its writes are committed. An error before the first
   * write of `work` does not affect other writers. An error after a write rolls back the whole batch, and all writers
   * in the batch fail. If moments are kept, `cause` is called after the work. Null: the changes become part of the
   * moment of the next write.
   */
  write<T>(work: () => T, cause?: (() => Cause) | null): T {
    const batch = this.#batch ?? this.#open()
    const before = this.#changes.get()
    try {
      const result = work()
      if (cause !== null) this.#onWrite(cause)
      return result
    } catch (error) {
      // On a full disk, SQLite itself rolls the transaction back.
      if (!this.connection.inTransaction || this.#changes.get() !== before) this.#abandon(batch, error)
      else this.#onRefusal()
      throw error
    }
  }

  /**
   * Pending while writes are uncommitted, null otherwise. Wait for it before sending an answer, even after a read; it
   * rejects if the batch is rolled back.
   */
  get settled(): Promise<void> | null {
    return this.#batch?.settled ?? null
  }

  /** Number of rows ever written through this connection: equal numbers mean that nothing has changed. */
  get changes(): number {
    return this.#changes.get() ?? 0
  }

  /** Size of the database in bytes, without the content of a write-ahead log. */
  get size(): number {
    return (this.#pages.get() ?? 0) * (this.#pageSize.get() ?? 0)
  }

  close(): void {
    if (this.#batch) this.#finish(this.#batch)
    this.connection.close()
  }

  #open(): Batch {
    this.#begin.run()
    const { promise: settled, resolve, reject } = Promise.withResolvers<void>()
    settled.catch(() => {}) // without this, a rejection that no caller awaits would end the process
    const batch = { settled, resolve, reject }
    this.#batch = batch
    setImmediate(() => this.#finish(batch))
    return batch
  }

  #finish(batch: Batch): void {
    if (this.#batch !== batch) return
    try {
      this.#commit.run()
    } catch (error) {
      this.#abandon(batch, error)
      return
    }
    this.#batch = null
    batch.resolve()
    this.#onCommit()
  }

  #abandon(batch: Batch, error: unknown): void {
    if (this.connection.inTransaction) this.#rollback.run()
    this.#batch = null
    this.#onRollback()
    batch.reject(error)
  }
}

/**
 * The prepared statements of one database. Each statement is prepared when it first runs, because most worlds run only
 * a few of them.
 */
export class Statements {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  prepare<Values extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Values, Row> {
    return new Statement(this.#connection, sql)
  }
}

/** A statement that is prepared when it first runs. */
export class Statement<Values extends unknown[], Row> {
  readonly #connection: Connection
  readonly #sql: string
  #plucks = false
  #prepared: Prepared<Values, Row> | undefined

  constructor(connection: Connection, sql: string) {
    this.#connection = connection
    this.#sql = sql
  }

  /** Makes the statement return the first column of each row instead of the row. */
  pluck(): this {
    this.#plucks = true
    return this
  }

  run(...values: Values): RunResult {
    return (this.#prepared ?? this.#prepare()).run(...values)
  }

  get(...values: Values): Row | undefined {
    return (this.#prepared ?? this.#prepare()).get(...values)
  }

  all(...values: Values): Row[] {
    return (this.#prepared ?? this.#prepare()).all(...values)
  }

  #prepare(): Prepared<Values, Row> {
    const prepared = this.#connection.prepare<Values, Row>(this.#sql) as Prepared<Values, Row>
    if (this.#plucks) prepared.pluck()
    this.#prepared = prepared
    return prepared
  }
}

/**
 * Makes a function that returns the next number after a table's last. No number repeats, even if its row is rolled back
 * or deleted.
 */
export function numbersAfter(last: () => number | undefined): () => number {
  let seq: number | undefined
  return () => {
    seq = (seq ?? last() ?? 0) + 1
    return seq
  }
}
