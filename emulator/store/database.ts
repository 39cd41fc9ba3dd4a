import type { Database as Connection, Statement } from 'better-sqlite3'

/**
 * The rule for writing to a sandbox's SQLite: all writes of one turn of the event loop share a commit, each in a
 * savepoint of its own, and nobody is answered before that commit is through.
 */
export class Database {
  readonly connection: Connection
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #savepoint: Statement
  readonly #release: Statement
  readonly #undo: Statement
  #settled: Promise<void> | null = null

  constructor(connection: Connection) {
    this.connection = connection
    this.#begin = connection.prepare('BEGIN IMMEDIATE')
    this.#commit = connection.prepare('COMMIT')
    this.#rollback = connection.prepare('ROLLBACK')
    this.#savepoint = connection.prepare('SAVEPOINT work')
    this.#release = connection.prepare('RELEASE work')
    this.#undo = connection.prepare('ROLLBACK TO work')
  }

  /** Runs `work` in a savepoint: returning keeps what it wrote, throwing undoes it. Durable once `settled`. */
  write<T>(work: () => T): T {
    this.#settled ??= this.#open()
    if (!this.connection.inTransaction) throw new Error('SQLite gave up the transaction this write belongs to')
    this.#savepoint.run()
    try {
      const value = work()
      this.#release.run()
      return value
    } catch (error) {
      // A full disk makes SQLite undo the whole transaction by itself; the commit then fails for all who share it.
      if (this.connection.inTransaction) {
        this.#undo.run()
        this.#release.run()
      }
      throw error
    }
  }

  /**
   * Pending while something written is not committed yet, null otherwise. Whoever read or wrote in the meantime waits
   * for it before answering; it rejects when the commit failed and all of it is undone.
   */
  get settled(): Promise<void> | null {
    return this.#settled
  }

  close(): void {
    if (this.connection.inTransaction) this.#commit.run()
    this.connection.close()
  }

  #open(): Promise<void> {
    this.#begin.run()
    const settled = new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        this.#settled = null
        if (!this.connection.open) return resolve()
        try {
          this.#commit.run()
          resolve()
        } catch (error) {
          if (this.connection.inTransaction) this.#rollback.run()
          reject(error)
        }
      })
    })
    settled.catch(() => {}) // every waiter hears of it; a write that nobody waits for must not end the process
    return settled
  }
}
