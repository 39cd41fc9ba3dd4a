import type { Database, Statement } from 'better-sqlite3'
import { preparedWhenUsed } from './statements.ts'

/** A request that is about to be sent, or was. Its answer ends the attempt. */
export interface Attempt {
  readonly intentId: string
  readonly seq: number
  /** When the journal last wrote that the request is about to be sent, in milliseconds of the monotonic clock. */
  markedAt: number
}

/** Milliseconds for which a mark says when a request was sent. */
const markLife = 10_000

/**
 * Requests of intents whose answer is not known: under way, given up, or of a process that died. While an intent has one,
 * money may have moved. Changes belong in a transaction of the journal.
 */
export class Attempts {
  readonly #statements: Statements

  /** @internal Declarations name no type of better-sqlite3, whose types users need not have. */
  constructor(database: Database) {
    this.#statements = statementsOf(database)
  }

  /** `intent`: its `seq`; undefined for a settled one, whose attempt is in no table: its request is not sent. */
  begin(intentId: string, intent: number | undefined): Attempt {
    const now = new Date().toISOString()
    const seq = intent === undefined ? 0 : Number(this.#statements.begin.run({ intent, now }).lastInsertRowid)
    return { intentId, seq, markedAt: performance.now() }
  }

  /** The mark no longer says when the next request of the attempt is sent. */
  isStale = ({ markedAt }: Attempt): boolean => performance.now() - markedAt >= markLife

  /** Writes the time again. Returns false if the attempt has ended: another process settled its intent. */
  renew(attempt: Attempt): boolean {
    attempt.markedAt = performance.now()
    return this.#statements.renew.run({ seq: attempt.seq, now: new Date().toISOString() }).changes > 0
  }

  end({ seq }: Attempt): void {
    this.#statements.end.run(seq)
  }

  endAll(intentId: string): void {
    this.#statements.endAll.run(intentId)
  }

  /** The answer is given up. The request may still arrive. */
  lose({ seq }: Attempt): void {
    this.#statements.lose.run({ seq, now: new Date().toISOString() })
  }

  /** When a request of the intent was last sent or given up: an ISO time; undefined if it has no attempt. */
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
