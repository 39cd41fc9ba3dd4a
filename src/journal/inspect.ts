import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { journalFile } from '../files/directories.ts'
import type { Intent } from './intent.ts'
import { migrations } from './migrations.ts'

/** What a journal holds, read without opening it for use. */
export interface Inspection {
  readonly file: string
  /** Version of its schema; 0 when nothing has been written. */
  readonly version: number
  /** The newest version that this payctl knows. */
  readonly newest: number
  /** How many intents still wait for `payments resume`. */
  inDoubt(): number
  /** Newest first, 100 at most. */
  recent(which: 'unsettled' | 'paid'): readonly Summary[]
  /** Whom a user, or whoever used a profile, has paid at a service; newest first, 20 at most. */
  paidTo(by: { readonly baseUrl: string; readonly user?: string; readonly profile?: string }): readonly PaidTo[]
}

type PaidTo = { readonly iban: string; readonly phone?: never } | { readonly phone: string; readonly iban?: never }

export type Summary = Pick<Intent, 'id' | 'created_at' | 'status' | 'payment_id' | 'payment_status' | 'body'>

/**
 * Reads the journal in `directory`; it writes, migrates and waits for nothing (SQLite may put its empty companion
 * files beside it). Undefined if there is no journal. Throws SqliteError if it can't be read.
 */
export function inspectJournal<T>(directory: string, look: (journal: Inspection) => T): T | undefined {
  const file = journalFile(directory)
  if (!existsSync(file)) return undefined
  const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 200 })
  try {
    const version = Number(database.pragma('user_version', { simple: true }))
    return look({
      file,
      version,
      newest: migrations.length,
      inDoubt: () =>
        database
          .prepare<[], number>("SELECT count(*) FROM intents WHERE status IN ('sent', 'unknown')")
          .pluck()
          .get() ?? 0,
      recent: (which) =>
        database
          .prepare<[], Omit<Summary, 'body'> & { readonly body: string }>(
            `SELECT id, created_at, status, payment_id, payment_status, body FROM intents
             WHERE ${filters[which]} ORDER BY seq DESC LIMIT 100`,
          )
          .all()
          .map((row) => ({ ...row, body: JSON.parse(row.body) })),
      paidTo: ({ baseUrl, user = null, profile = null }) =>
        database
          .prepare<[Record<string, string | null>], { readonly iban: string | null; readonly phone: string | null }>(
            `SELECT body ->> 'recipient_iban' AS iban, body ->> 'recipient_phone' AS phone
             FROM (SELECT seq, body FROM intents
                   WHERE status = 'settled' AND base_url = :baseUrl AND user IS coalesce(:user, user)
                     AND profile = coalesce(:profile, profile)
                   ORDER BY seq DESC LIMIT 1000)
             GROUP BY iban, phone ORDER BY max(seq) DESC LIMIT 20`,
          )
          .all({ baseUrl, user, profile })
          .map(({ iban, phone }) => (iban === null ? { phone: phone ?? '' } : { iban })),
    })
  } finally {
    database.close()
  }
}

const filters = {
  unsettled: "status IN ('prepared', 'sent', 'unknown')",
  paid: 'payment_id IS NOT NULL',
}
