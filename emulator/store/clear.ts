import type { Database } from 'better-sqlite3'

/** Empties every table and runs `refill`, all in one transaction; there must be none under way. */
export function clearAndRefill<T>(connection: Database, refill: () => T): T {
  const tables = connection.prepare<[], string>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  )
  tables.pluck()
  const names = tables.all()
  // Without foreign keys a table is emptied as a whole, not row by row: a full world goes in milliseconds.
  connection.pragma('foreign_keys = OFF')
  try {
    return connection
      .transaction(() => {
        for (const name of names) connection.exec(`DELETE FROM "${name}"`)
        return refill()
      })
      .immediate()
  } finally {
    connection.pragma('foreign_keys = ON')
  }
}
