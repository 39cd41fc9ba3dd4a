import type { Database as Connection } from 'better-sqlite3'
import { type Statement, Statements } from './statements.ts'

/** The writes of one turn of the event loop, and those who wait for their commit. */
interface Batch {
  readonly settled: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * The rule for writing to a world's SQLite: all writes of one turn of the event loop share a commit, and nobody is
 * answered before that commit is through. Why there is no savepoint around each: docs/decisions/transactions.md.
 */
export class Database {
  readonly connection: Connection
  readonly #begin: Statement<[], unknown>
  readonly #commit: Statement<[], unknown>
  readonly #rollback: Statement<[], unknown>
  readonly #changes: Statement<[], number>
  readonly #onUndone: () => void
  #batch: Batch | null = null

  /** `onUndone` hears that everything since the last commit is undone. */
  constructor(connection: Connection, { onUndone = () => {} }: { onUndone?: () => void } = {}) {
    this.connection = connection
    this.#onUndone = onUndone
    const db = new Statements(connection)
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  }

  /**
   * Runs `work` in the batch of this turn: what it wrote is durable once `settled`. When it throws before it wrote
   * anything, that concerns nobody else. When it throws half-way, the whole batch is undone and all who share it fail.
   */
  write<T>(work: () => T): T {
    const batch = this.#batch ?? this.#open()
    const before = this.#changes.get()
    try {
      return work()
    } catch (error) {
      // A full disk makes SQLite undo the transaction by itself.
      if (!this.connection.inTransaction || this.#changes.get() !== before) this.#abandon(batch, error)
      throw error
    }
  }

  /**
   * Pending while something written is not committed yet, null otherwise. Whoever read or wrote in the meantime waits
   * for it before answering; it rejects when what was written is undone.
   */
  get settled(): Promise<void> | null {
    return this.#batch?.settled ?? null
  }

  close(): void {
    if (this.#batch) this.#finish(this.#batch)
    this.connection.close()
  }

  #open(): Batch {
    this.#begin.run()
    const { promise: settled, resolve, reject } = Promise.withResolvers<void>()
    settled.catch(() => {}) // every waiter hears of it; a write that nobody waits for must not end the process
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
  }

  #abandon(batch: Batch, error: unknown): void {
    if (this.connection.inTransaction) this.#rollback.run()
    this.#batch = null
    this.#onUndone()
    batch.reject(error)
  }
}
