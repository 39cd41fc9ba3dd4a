import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite, { type Database as Connection } from 'better-sqlite3'

/** A whole database as the bytes of an SQLite file. */
export type Image = Buffer

/** Header offsets of the journal mode, and its values for a rollback journal and for a write-ahead log. */
const header = { writeVersion: 18, readVersion: 19, rollbackJournal: 1, writeAheadLog: 2 }

/** Copies a database; no transaction may be under way. */
export const imageOf = (connection: Connection): Image => withoutLog(connection.serialize())

/** Switches off the write-ahead log: a database in memory can't have this log and would not open. */
function withoutLog(image: Image): Image {
  image[header.writeVersion] = header.rollbackJournal
  image[header.readVersion] = header.rollbackJournal
  return image
}

/**
 * Copies an image for a file that is opened with a write-ahead log. If the first opening had to switch the log on, it
 * would wait for the disk several times.
 */
export function withLog(image: Image): Image {
  const file = Buffer.from(image)
  file[header.writeVersion] = header.writeAheadLog
  file[header.readVersion] = header.writeAheadLog
  return file
}

/** Opens a copy of the image, in memory. */
export function openImage(image: Image): Connection {
  const connection = new Sqlite(image)
  connection.pragma('foreign_keys = ON')
  return connection
}

/** Opens a copy of a closed data file's bytes, in memory. */
export const openFile = (bytes: Buffer): Connection =>
  openImage(bytes[header.writeVersion] === header.rollbackJournal ? bytes : withoutLog(Buffer.from(bytes)))

/** Copies an image, and changes the copy. */
export function changed(image: Image, change: (connection: Connection) => void): Image {
  const connection = openImage(image)
  try {
    change(connection)
    return imageOf(connection)
  } finally {
    connection.close()
  }
}

/**
 * Replaces a database's rows with those of an image and runs `change`, in one transaction; no other transaction may be
 * under way.
 */
export function refillFrom(connection: Connection, image: Image, change: () => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-image-'))
  try {
    const file = join(folder, 'image')
    writeFileSync(file, image, { mode: 0o600 })
    connection.prepare('ATTACH DATABASE ? AS image').run(file)
    // Without foreign keys SQLite truncates a table instead of deleting row by row: a full world takes milliseconds.
    connection.pragma('foreign_keys = OFF')
    try {
      connection
        .transaction(() => {
          const tables = tablesOf(connection)
          for (const table of tables) connection.exec(`DELETE FROM main."${table}"`)
          for (const table of tables) connection.exec(`INSERT INTO main."${table}" SELECT * FROM image."${table}"`)
          change()
        })
        .immediate()
    } finally {
      connection.pragma('foreign_keys = ON')
      connection.exec('DETACH DATABASE image')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tables with triggers come first: the tables that their triggers update are still empty then, so no row changes. */
const tablesOf = (connection: Connection): string[] =>
  connection
    .prepare<[], string>(
      `SELECT name FROM main.sqlite_schema AS s WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY NOT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = s.name)`,
    )
    .pluck()
    .all()
