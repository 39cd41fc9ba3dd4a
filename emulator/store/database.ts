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
  /** Called after each write that did not throw, unless its cause is null. */
  readonly onWrite?: (cause: (() => Cause) | undefined) => void
  /** Called after a write that threw before it changed a row. */
  readonly onRefusal?: () => void
  readonly onRollback?: () => void
  readonly onCommit?: () => void
}

const noop = (): void => {}

/** A connection that a world borrows, in a transaction that is rolled back when the world ends. */
interface Loan {
  /** Number of rows that earlier worlds wrote through the connection. */
  readonly changesBefore: number
  /** Maximum size of a database whose connection is given back, in bytes. */
  readonly largest: number
  /** Undoes all that the world wrote, and gives the connection to a later world. */
  giveBack(): void
  /** Commits all that the world wrote. The world then keeps the connection, which is closed with the world. */
  keep(): void
}

/** Compiled statements of a connection, by their SQL. */
export type Compiled = Map<string, Prepared<unknown[], unknown>>

/** Statements for a batch: within the transaction of a loan it is a savepoint, otherwise a transaction. */
const transactions = {
  own: { begin: 'BEGIN IMMEDIATE', commit: 'COMMIT', rollback: 'ROLLBACK' },
  borrowed: { begin: 'SAVEPOINT batch', commit: 'RELEASE batch', rollback: 'ROLLBACK TO batch' },
}

/**
 * Writes to a world's SQLite database: all writes of one turn of the event loop share a commit, and every answer waits
 * for it. docs/decisions/transactions.md gives the reasons, and says why a single write has no savepoint.
 */
export class Database {
  readonly #statements: Statements
  readonly #isBorrowed: boolean
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
  /** Null: the connection is the world's own. */
  #loan: Loan | null
  /** True if the world must keep its connection once the batch under way has ended. */
  #keeps = false

  /** `onRollback` is called after everything since the last commit was undone, `onCommit` after a commit. */
  constructor(
    statements: Statements,
    { onWrite = noop, onRefusal = noop, onRollback = noop, onCommit = noop }: Hooks = {},
  ) {
    this.#statements = statements
    this.#loan = statements.loan
    this.#isBorrowed = statements.loan !== null
    this.#onWrite = onWrite
    this.#onRefusal = onRefusal
    this.#onRollback = onRollback
    this.#onCommit = onCommit
    const { begin, commit, rollback } = transactions[this.#isBorrowed ? 'borrowed' : 'own']
    this.#begin = statements.prepare(begin)
    this.#commit = statements.prepare(commit)
    this.#rollback = statements.prepare(rollback)
    this.#pages = statements.prepare<[], number>('PRAGMA page_count').pluck()
    this.#pageSize = statements.prepare<[], number>('PRAGMA page_size').pluck()
    this.#changes = statements.prepare<[], number>('SELECT total_changes()').pluck()
  }

  /**
   * The connection itself. From then on the world keeps a borrowed connection, because the caller may change what no
   * rollback undoes, and because an image of the connection must contain all rows.
   */
  get connection(): Connection {
    if (this.#statements.ended) throw worldClosed()
    this.#keep()
    return this.#statements.connection
  }

  get isInMemory(): boolean {
    return this.#statements.connection.memory
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
      if (!this.#statements.connection.inTransaction || this.#changes.get() !== before) this.#abandon(batch, error)
      else this.#onRefusal()
      throw error
    }
  }

  /**
   * Promise that is pending while writes are uncommitted; null otherwise. Wait for this promise before sending an
   * answer, even after a read; the promise rejects if the batch is rolled back.
   */
  get settled(): Promise<void> | null {
    return this.#batch?.settled ?? null
  }

  /**
   * Number of rows written to this world since its database was opened: equal numbers mean that nothing has changed.
   */
  get changes(): number {
    return (this.#changes.get() ?? 0) - (this.#statements.loan?.changesBefore ?? 0)
  }

  /** Size of the database in bytes, without the content of a write-ahead log. */
  get size(): number {
    return (this.#pages.get() ?? 0) * (this.#pageSize.get() ?? 0)
  }

  close(): void {
    if (this.#batch) this.#finish(this.#batch)
    this.#release()
  }

  /** Refuses all statements from now on, because the connection belongs to the world that replaces this world. */
  handOver(): void {
    this.#statements.end()
  }

  #release(): void {
    if (this.#statements.ended) return
    this.#statements.end()
    if (this.#loan) this.#loan.giveBack()
    else this.#statements.connection.close()
    this.#loan = null
  }

  #keep(): void {
    this.#keeps = true
    if (this.#batch) return
    this.#loan?.keep()
    this.#loan = null
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
    if (this.#loan && (this.#keeps || this.size > this.#loan.largest)) this.#keep()
    batch.resolve()
    this.#onCommit()
  }

  #abandon(batch: Batch, error: unknown): void {
    if (this.#statements.connection.inTransaction) {
      this.#rollback.run()
      if (this.#isBorrowed) this.#commit.run() // a savepoint that was rolled back is still open
    } else if (this.#loan) this.#release() // SQLite has rolled back the whole loan: the world is lost
    this.#batch = null
    if (this.#keeps) this.#keep()
    this.#onRollback()
    batch.reject(error)
  }
}

/**
 * The statements of one world. Each statement is compiled when it first runs, because most worlds run only a few of
 * them. `compiled` contains the statements that earlier worlds compiled over the same connection.
 */
export class Statements {
  readonly connection: Connection
  /** Null: the connection is the world's own. */
  readonly loan: Loan | null
  readonly #compiled: Compiled
  #ended = false

  constructor(connection: Connection, loan: Loan | null = null, compiled: Compiled = new Map()) {
    this.connection = connection
    this.loan = loan
    this.#compiled = compiled
  }

  prepare<Values extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Values, Row> {
    return new Statement(this, sql)
  }

  get ended(): boolean {
    return this.#ended
  }

  /** From now on all statements throw: another world may use the connection. */
  end(): void {
    this.#ended = true
  }

  /** Compiles a statement; `plucks`: it returns the first column of each row instead of the row. */
  compile(sql: string, plucks: boolean): Prepared<unknown[], unknown> {
    const key = plucks ? `${sql} -- first column` : sql
    let compiled = this.#compiled.get(key)
    if (!compiled) {
      compiled = this.connection.prepare(withFixedPlan(sql))
      if (plucks) compiled.pluck()
      this.#compiled.set(key, compiled)
    }
    return compiled
  }
}

/**
 * Hides the values of parameters from SQLite's planner by writing `+?` instead of `?`. Otherwise SQLite compiles a
 * statement again at each run if a value may affect its plan, such as `LIMIT ?` or a condition on a table with partial
 * indexes.
 */
export const withFixedPlan = (sql: string): string =>
  sql.replace(/'[^']*'|[?@]\w*/g, (part) => (part.startsWith("'") ? part : `+${part}`))

/** Refuses an ended world: its connection may belong to another world. */
const worldClosed = () => new TypeError('The world has ended, and its database is closed.')

/** A statement that is compiled when it first runs. */
export class Statement<Values extends unknown[], Row> {
  readonly #statements: Statements
  readonly #sql: string
  #plucks = false
  #compiled: Prepared<Values, Row> | undefined

  constructor(statements: Statements, sql: string) {
    this.#statements = statements
    this.#sql = sql
  }

  /** Makes the statement return the first column of each row instead of the row. */
  pluck(): this {
    this.#plucks = true
    return this
  }

  run(...values: Values): RunResult {
    return this.#ready().run(...values)
  }

  get(...values: Values): Row | undefined {
    return this.#ready().get(...values)
  }

  all(...values: Values): Row[] {
    return this.#ready().all(...values)
  }

  #ready(): Prepared<Values, Row> {
    if (this.#statements.ended) throw worldClosed()
    this.#compiled ??= this.#statements.compile(this.#sql, this.#plucks) as Prepared<Values, Row>
    return this.#compiled
  }
}

/**
 * Makes a function that returns the numbers after the last number of a table. No number repeats, even if its row is
 * rolled back or deleted.
 */
export function numbersAfter(last: () => number | undefined): () => number {
  let seq: number | undefined
  return () => {
    seq = (seq ?? last() ?? 0) + 1
    return seq
  }
}
