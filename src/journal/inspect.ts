import { existsSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { journalFile } from '../files/directories.ts'
import { memoryDatabase, refusingFaults } from './database.ts'
import type { Intent } from './intent.ts'
import { migrations } from './migrations.ts'
import { parsed } from './statements.ts'

/** Reads a journal without changing it. */
export interface Inspection {
  readonly file: string
  /** Version of the journal's schema; 0 if the journal is empty. */
  readonly version: number
  /** The newest version that this payctl knows. */
  readonly newest: number
  /** Count of intents that wait for `payments resume`. */
  inDoubt(): number
  /** Summaries of intents; newest first, at most 100. */
  recent(which: 'unsettled' | 'paid'): readonly Summary[]
  /** Intents whose own id (after `int_`) or payment id contains `part`; newest first, at most 20. */
  named(by: 'id' | 'payment_id', part: string): readonly Summary[]
  /** Intents with this idempotency key; newest first, at most 20. */
  withKey(key: string): readonly Summary[]
  /**
   * Count of payments that were sent to other worlds of the emulator at this URL. `payment`: counts only the payment
   * with this id.
   */
  inOtherWorlds(place: { readonly baseUrl: string; readonly world: string; readonly payment?: string }): number
  /** Profiles, with their services, that had limits when this journal last saw them. */
  limitedProfiles(): readonly { readonly profile: string; readonly services: readonly string[] }[]
  /** Payees that a user, or any user of a profile, has paid at a service; newest first, at most 20. */
  paidTo(by: { readonly baseUrl: string; readonly user?: string; readonly profile?: string }): readonly PaidTo[]
}

type PaidTo = { readonly iban: string; readonly phone?: never } | { readonly phone: string; readonly iban?: never }

export type Summary = Pick<
  Intent,
  'id' | 'created_at' | 'status' | 'base_url' | 'payment_id' | 'payment_status' | 'body'
>

/**
 * Reads the journal in `directory`. Writes and migrates nothing (SQLite may create its empty companion files), and
 * waits for another process at most `patience` milliseconds. Returns undefined if the journal does not exist. Throws
 * CliError if the journal can't be read.
 */
export function inspectJournal<T>(
  directory: string,
  look: (journal: Inspection) => T,
  { patience = 10_000 }: { readonly patience?: number } = {},
): T | undefined {
  const file = journalFile(directory)
  return existsSync(file) ? refusingFaults(file, () => inspect(file, look, patience)) : undefined
}

function inspect<T>(file: string, look: (journal: Inspection) => T, timeout: number): T {
  const onDisk = new Sqlite(file, { readonly: true, fileMustExist: true, timeout })
  let database = onDisk
  try {
    const version = Number(onDisk.pragma('user_version', { simple: true }))
    // A run that was killed while it created the journal leaves a file without tables.
    if (version === 0) database = memoryDatabase()
    return look({
      file,
      version,
      newest: migrations.length,
      inDoubt: () =>
        database
          .prepare<[], number>("SELECT count(*) FROM intents WHERE status IN ('sent', 'unknown')")
          .pluck()
          .get() ?? 0,
      recent: (which) => summaries(database, `${filters[which]} ORDER BY seq DESC LIMIT 100`),
      named: (by, part) => summaries(database, `instr(${names[by]}, :part) > 0 ORDER BY seq DESC LIMIT 20`, { part }),
      withKey: (key) => summaries(database, 'idempotency_key = :key ORDER BY seq DESC LIMIT 20', { key }),
      inOtherWorlds: (place) => (version < worldsVersion ? 0 : inOtherWorlds(database, place)),
      limitedProfiles: () => (version < limitsVersion ? [] : limitedProfiles(database)),
      paidTo: (by) => (version < worldsVersion ? [] : paidTo(database, by)),
    })
  } finally {
    database.close()
    onDisk.close()
  }
}

function summaries(
  database: Database,
  condition: string,
  bounds: Readonly<Record<string, string>> = {},
): readonly Summary[] {
  return database
    .prepare<[Record<string, string>], Omit<Summary, 'body'> & { readonly body: string }>(
      `SELECT id, created_at, status, base_url, payment_id, payment_status, body FROM intents WHERE ${condition}`,
    )
    .all(bounds)
    .map((row) => ({ ...row, body: parsed(row.body) }))
}

const paidTo = (
  database: Database,
  { baseUrl, user, profile }: Parameters<Inspection['paidTo']>[0],
): readonly PaidTo[] =>
  database
    .prepare<[Record<string, string | null>], { readonly iban: string | null; readonly phone: string | null }>(
      `SELECT body ->> 'recipient_iban' AS iban, body ->> 'recipient_phone' AS phone
       FROM (SELECT seq, body FROM intents
             WHERE status = 'settled' AND base_url = :baseUrl AND user IS coalesce(:user, user)
               AND profile = coalesce(:profile, profile)
             ORDER BY seq DESC LIMIT 1000)
       GROUP BY iban, phone ORDER BY max(seq) DESC LIMIT 20`,
    )
    .all({ baseUrl, user: user ?? null, profile: profile ?? null })
    .map(({ iban, phone }) => (iban === null ? { phone: phone ?? '' } : { iban }))

/** The first schema version with the worlds of emulators, and with the users of intents. */
const worldsVersion = 3

const inOtherWorlds = (
  database: Database,
  { baseUrl, world, payment }: Parameters<Inspection['inOtherWorlds']>[0],
): number =>
  database
    .prepare<[Record<string, string | null>], number>(
      `SELECT count(*) FROM intents
       WHERE base_url = :baseUrl AND world IS NOT NULL AND world <> :world
         AND status IN ('sent', 'unknown', 'settled') AND lower(payment_id) IS coalesce(:payment, lower(payment_id))`,
    )
    .pluck()
    .get({ baseUrl, world, payment: payment ?? null }) ?? 0

/** The first schema version with limits. */
const limitsVersion = 5

const limitedProfiles = (database: Database) =>
  database
    .prepare<[], { readonly profile: string; readonly services: string }>(
      'SELECT profile, services FROM limited_profiles',
    )
    .all()
    .map(({ profile, services }) => ({ profile, services: parsed<string[]>(services) }))

const names = { id: 'substr(id, 5)', payment_id: 'lower(payment_id)' }

const filters = {
  unsettled: "status IN ('prepared', 'sent', 'unknown')",
  paid: 'payment_id IS NOT NULL',
}
