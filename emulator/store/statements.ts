import type { Database, Statement as Prepared, RunResult } from 'better-sqlite3'

/** The statements of one database. Each is prepared when it first runs, because few worlds ever run most of them. */
export class Statements {
  readonly #connection: Database

  constructor(connection: Database) {
    this.#connection = connection
  }

  prepare<Values extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Values, Row> {
    return new Statement(this.#connection, sql)
  }
}

/** A statement that is prepared when it first runs. */
export class Statement<Values extends unknown[], Row> {
  readonly #connection: Database
  readonly #sql: string
  #plucks = false
  #prepared: Prepared<Values, Row> | undefined

  constructor(connection: Database, sql: string) {
    this.#connection = connection
    this.#sql = sql
  }

  /** Makes it return the first column of each row instead of the row. */
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

/** Returns numbers after the last of a table. None repeats, even if the row that got it is rolled back or deleted. */
export function numbersAfter(last: () => number | undefined): () => number {
  let seq: number | undefined
  return () => {
    seq = (seq ?? last() ?? 0) + 1
    return seq
  }
}
