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
 * Writes to a world's SQLite: all writes of one turn of the event loop share a commit, and nobody is answered before
 * it. docs/decisions/transactions.md says why, and why there are no savepoints.
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

  /** `onRollback` is called when everything since the last commit has been undone, `onCommit` after a commit. */
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
   * Runs `work` in the batch of this turn; what it wrote is committed once `settled` resolves. An error before its
   * first write affects no other writer. An error after a write rolls the whole batch back, and all its writers fail.
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
   * Pending while something written is not committed, null otherwise. Wait for it before an answer leaves, also after a
   * read; it rejects if the batch is rolled back.
   */
  get settled(): Promise<void> | null {
    return this.#batch?.settled ?? null
  }

  /** Counts the rows that were ever written through this connection: while it stands still, nothing has changed. */
  get changes(): number {
    return this.#changes.get() ?? 0
  }

  /** Bytes of the database, without what a write-ahead log still holds. */
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
    settled.catch(() => {}) // a write that nobody waits for must not end the process
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
