import type { Database, Statement } from 'better-sqlite3'
import { monotonicClock } from '../real_time.ts'
import { preparedWhenUsed } from './statements.ts'

/** A request that was sent or is about to be sent. The answer to the request ends the attempt. */
export interface Attempt {
  readonly intentId: string
  readonly seq: number
  /** Time at which the journal last marked this request as about to be sent, in milliseconds of the monotonic clock. */
  markedAt: number
}

/** Milliseconds during which a mark is accepted as the time of a request. */
const markLife = 10_000

/**
 * Requests whose answer is not known: in flight, given up, or made by a process that died. While an intent has one of
 * these requests, money may have moved. Change them only in a transaction of the journal.
 */
export class Attempts {
  readonly #statements: Statements

  /** @internal Keeps better-sqlite3, whose types users may lack, out of the declarations. */
  constructor(database: Database) {
    this.#statements = statementsOf(database)
  }

  /**
   * Records an attempt, unless the intent is settled: then no request is sent. `intent`: the intent's `seq`; undefined
   * for a settled intent.
   */
  begin(intentId: string, intent: number | undefined): Attempt {
    const now = new Date().toISOString()
    const seq = intent === undefined ? 0 : Number(this.#statements.begin.run({ intent, now }).lastInsertRowid)
    return { intentId, seq, markedAt: monotonicClock() }
  }

  /**
   * True if the mark is too old to count as the time of the attempt's next request, or if the intent was settled before
   * the mark.
   */
  isStale = ({ seq, markedAt }: Attempt): boolean => seq === 0 || monotonicClock() - markedAt >= markLife

  /**
   * Updates the time of the mark. Returns false if the attempt has ended because another process settled its intent.
   */
  renew(attempt: Attempt): boolean {
    attempt.markedAt = monotonicClock()
    return this.#statements.renew.run({ seq: attempt.seq, now: new Date().toISOString() }).changes > 0
  }

  end({ seq }: Attempt): void {
    this.#statements.end.run(seq)
  }

  endAll(intentId: string): void {
    this.#statements.endAll.run(intentId)
  }

  /** Gives up waiting for the answer. The request may still arrive. */
  lose({ seq }: Attempt): void {
    this.#statements.lose.run({ seq, now: new Date().toISOString() })
  }

  /** ISO time at which a request of the intent was last sent or given up; undefined if the intent has no attempt. */
  last(intentId: string): string | undefined {
    return this.#statements.last.get(intentId)?.at ?? undefined
  }
}

interface Change {
  readonly seq: number
  readonly now: string
}

interface Statements {
  readonly begin: Statement<[{ readonly intent: number; readonly now: string }]>
  readonly renew: Statement<[Change]>
  readonly end: Statement<[number]>
  readonly endAll: Statement<[string]>
  readonly lose: Statement<[Change]>
  readonly last: Statement<[string], { readonly at: string | null }>
}

const statementsOf = (database: Database): Statements =>
  preparedWhenUsed<Statements>({
    begin: () => database.prepare('INSERT INTO attempts (intent, began_at, sent_at) VALUES (:intent, :now, :now)'),
    renew: () => database.prepare('UPDATE attempts SET sent_at = :now WHERE seq = :seq'),
    end: () => database.prepare('DELETE FROM attempts WHERE seq = ?'),
    endAll: () => database.prepare('DELETE FROM attempts WHERE intent = (SELECT seq FROM intents WHERE id = ?)'),
    lose: () => database.prepare('UPDATE attempts SET lost_at = :now WHERE seq = :seq'),
    last: () =>
      database.prepare(
        `SELECT max(coalesce(lost_at, sent_at)) AS at FROM attempts
       WHERE intent = (SELECT seq FROM intents WHERE id = ?)`,
      ),
  })
