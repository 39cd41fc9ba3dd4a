import type { Database, Statement } from 'better-sqlite3'
import type { CsvDialect } from '../sheets/sheet.ts'
import type { Intent, Principal } from './intent.ts'
import { parsed, preparedWhenUsed } from './statements.ts'

/** Source of a batch's rows. */
export interface BatchSource {
  /** Name of the file; null if the rows came from a program. */
  readonly file: string | null
  /** Null unless the file is CSV. */
  readonly form: CsvDialect | null
  /** False from the start of a run until all rows are recorded; stays false if the run is stopped in between. */
  readonly isComplete: boolean
}

/**
 * Rows of a batch in one state and currency. A payment that failed and was repeated is counted in the state of its
 * repetition.
 */
export interface BatchPart
  extends Pick<Intent, keyof Principal | 'status' | 'payment_status' | 'currency' | 'created_at'> {
  readonly batch: string
  readonly rows: number
  /** Minor units. */
  readonly amount: number
}

/** Conditions for a query of batches; an absent condition excludes nothing. */
export interface BatchFilter {
  readonly batch?: string | undefined
  readonly of?: Pick<Intent, keyof Principal> | undefined
}

type Bounds = Readonly<Record<string, string | number | null>>

interface Statements {
  readonly describe: Statement<[Bounds]>
  readonly source: Statement<
    [Bounds],
    { readonly file: string | null; readonly form: string | null; readonly is_complete: 0 | 1 }
  >
}

/** Queries about the batches of a journal. */
export class Batches {
  readonly #database: Database
  readonly #statements: Statements

  /** @internal Keeps better-sqlite3, whose types users may lack, out of the declarations. */
  constructor(database: Database) {
    this.#database = database
    this.#statements = preparedWhenUsed<Statements>({
      describe: () =>
        database.prepare(
          `INSERT INTO batches (name, base_url, user, world, file, form, is_complete)
           VALUES (:batch, :base_url, :user, coalesce(:world, ''), :file, :form, :is_complete)
           ON CONFLICT DO UPDATE SET file = excluded.file, form = excluded.form, is_complete = excluded.is_complete`,
        ),
      source: () =>
        database.prepare(
          `SELECT file, form, is_complete FROM batches
           WHERE name = :batch AND base_url = :base_url AND user = :user AND world = coalesce(:world, '')`,
        ),
    })
  }

  /** Records the source of a batch's rows. */
  describe(batch: string, { base_url, user, world }: Principal, { file, form, isComplete }: BatchSource): void {
    const source = { file, form: form && JSON.stringify(form), is_complete: isComplete ? 1 : 0 }
    this.#statements.describe.run({ batch, base_url, user, world, ...source })
  }

  /** Source of a batch; if the source was not recorded, `file` and `form` are null and the batch counts as complete. */
  source(batch: string, { base_url, user, world }: Pick<Intent, keyof Principal>): BatchSource {
    const row = this.#statements.source.get({ batch, base_url, user, world })
    const form = row?.form ? parsed<CsvDialect>(row.form) : null
    return { file: row?.file ?? null, form, isComplete: row?.is_complete !== 0 }
  }

  parts(filter: BatchFilter): readonly BatchPart[] {
    return this.#database.prepare<[Bounds], BatchPart>(partsQuery(filter)).all(boundsOf(filter))
  }

  /** Ids of a batch's intents in the order of the file; a failed payment is replaced by its repetition. */
  ids(filter: BatchFilter): readonly string[] {
    return this.#database.prepare<[Bounds], string>(idsQuery(filter)).pluck().all(boundsOf(filter))
  }
}

export function partsQuery(filter: BatchFilter): string {
  return `SELECT batch, base_url, user, world, status, payment_status, currency, count(*) AS rows,
      sum(body ->> 'amount') AS amount, min(created_at) AS created_at
    FROM intents WHERE ${conditionsOf(filter)}
    GROUP BY batch, base_url, user, world, status, payment_status, currency`
}

export const idsQuery = (filter: BatchFilter): string =>
  `SELECT id FROM intents WHERE ${conditionsOf(filter)} ORDER BY line, seq`

const boundsOf = ({ batch, of }: BatchFilter): Bounds => ({
  ...(batch !== undefined && { batch }),
  ...(of && { base_url: of.base_url, user: of.user, world: of.world }),
})

/** A repetition replaces the payment only after the repetition was sent, and only if the payment has not completed. */
function conditionsOf({ batch, of }: BatchFilter): string {
  const inBatch = batch === undefined ? 'batch IS NOT NULL' : 'batch = :batch'
  return [
    inBatch,
    ...(of ? ['base_url = :base_url AND user IS :user AND world IS :world'] : []),
    "NOT (retry_of IS NOT NULL AND status IN ('prepared', 'rejected'))",
    `(payment_status IS 'completed' OR id NOT IN (
       SELECT retry_of FROM intents
       WHERE ${inBatch} AND retry_of IS NOT NULL AND status NOT IN ('prepared', 'rejected')))`,
  ].join(' AND ')
}
