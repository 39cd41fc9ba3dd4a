import type { Database } from 'better-sqlite3'

/** A row as it is staged; `iban` says what `recipient` is, else it is a phone. */
export interface Stored {
  readonly line: number
  readonly source: string
  readonly recipient: string
  readonly iban: 0 | 1
  readonly amount: number
  readonly description: string | null
  readonly reference: string | null
  readonly occurrence: number
}

type NewRow = Omit<Stored, 'occurrence'> & { readonly digest: Buffer }
type Count = { readonly count: number }

/** Nothing of it outlives the run, so nothing is made safe against a crash. */
export const stagedSchema = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -2000;
  CREATE TABLE staged (
    line INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    recipient TEXT NOT NULL,
    iban INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    description TEXT,
    reference TEXT,
    digest BLOB NOT NULL,
    occurrence INTEGER NOT NULL,
    known_at TEXT,
    elsewhere INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX staged_same ON staged (digest, occurrence);
  CREATE INDEX staged_recipients ON staged (recipient);
  CREATE INDEX staged_groups ON staged (source, iban, amount);
  CREATE INDEX staged_repeats ON staged (line) WHERE occurrence > 1;
  CREATE INDEX staged_known ON staged (known_at) WHERE known_at IS NOT NULL;
`

const stored = 'line, source, recipient, iban, amount, description, reference, occurrence'

export const prepareStaged = (database: Database) => ({
  add: database.prepare<[NewRow]>(
    `INSERT INTO staged (line, source, recipient, iban, amount, description, reference, digest, occurrence)
     VALUES (:line, :source, :recipient, :iban, :amount, :description, :reference, :digest,
       coalesce((SELECT max(occurrence) FROM staged WHERE digest = :digest), 0) + 1)`,
  ),
  know: database.prepare<[{ readonly line: number; readonly at: string; readonly elsewhere: 0 | 1 }]>(
    'UPDATE staged SET known_at = :at, elsewhere = :elsewhere WHERE line = :line',
  ),
  page: database.prepare<[number, number], Stored>(`SELECT ${stored} FROM staged WHERE line > ? ORDER BY line LIMIT ?`),
  digests: database.prepare<[], { readonly digest: Buffer }>('SELECT digest FROM staged ORDER BY digest'),
  count: database.prepare<[], Count>('SELECT count(*) AS count FROM staged'),
  payees: database.prepare<[], Count>('SELECT count(DISTINCT recipient) AS count FROM staged'),
  recipients: database.prepare<[], { readonly recipient: string; readonly iban: 0 | 1; readonly line: number }>(
    'SELECT recipient, iban, min(line) AS line FROM staged GROUP BY recipient',
  ),
  known: database.prepare<
    [],
    { readonly rows: number; readonly first: string | null; readonly last: string | null; readonly elsewhere: number }
  >(
    `SELECT count(*) AS rows, min(known_at) AS first, max(known_at) AS last, coalesce(sum(elsewhere), 0) AS elsewhere
     FROM staged WHERE known_at IS NOT NULL`,
  ),
  repeats: database.prepare<[], Count>(
    'SELECT count(*) AS count FROM staged WHERE occurrence > 1 AND known_at IS NULL',
  ),
  repeatLines: database.prepare<[], { readonly line: number }>(
    'SELECT line FROM staged WHERE occurrence > 1 AND known_at IS NULL ORDER BY line LIMIT 10',
  ),
  groups: database.prepare<
    [],
    { readonly source: string; readonly iban: 0 | 1; readonly rows: number; readonly amount: number }
  >(
    `SELECT source, iban, count(*) AS rows, sum(amount) AS amount FROM staged WHERE known_at IS NULL
     GROUP BY source, iban ORDER BY source, iban`,
  ),
  samples: database.prepare<[string, 0 | 1], Stored>(
    `SELECT ${stored} FROM staged WHERE source = ? AND iban = ? AND known_at IS NULL ORDER BY amount DESC LIMIT 3`,
  ),
})
