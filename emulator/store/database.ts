import type { Database as Connection } from 'better-sqlite3'
import { type Statement, Statements } from './statements.ts'

/** The writes of one turn of the event loop, and the promise of their commit. */
interface Batch {
  readonly settled: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Hooks {
  readonly onRollback?: () => void
  readonly onCommit?: () => void
}

/**
 * Writes to a world's SQLite: all writes of one turn of the event loop share a commit, and every answer waits for it.
 * docs/decisions/transactions.md gives the reasons, also for the lack of savepoints.
 */
export class Database {
  readonly connection: Connection
  readonly #begin: Statement<[], unknown>
  readonly #commit: Statement<[], unknown>
  readonly #rollback: Statement<[], unknown>
  readonly #changes: Statement<[], number>
  readonly #onRollback: () => void
  readonly #onCommit: () => void
  readonly #pages: Statement<[], number>
  readonly #pageSize: Statement<[], number>
  #batch: Batch | null = null

  /** `onRollback` is called after everything since the last commit was undone, `onCommit` after a commit. */
  constructor(connection: Connection, { onRollback = () => {}, onCommit = () => {} }: Hooks = {}) {
    this.connection = connection
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
   * Runs `work` in the batch of this turn; `settled` resolves once its writes are committed. An error before its first
   * write affects no other writer. An error after a write rolls back the whole batch, and all its writers fail.
   */
  write<T>(work: () => T): T {
    const batch = this.#batch ?? this.#open()
    const before = this.#changes.get()
    try {
      return work()
    } catch (error) {
      // On a full disk SQLite rolls the transaction back by itself.
      if (!this.connection.inTransaction || this.#changes.get() !== before) this.#abandon(batch, error)
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
