import Sqlite, { type Database, type Statement } from 'better-sqlite3'
import type { SheetRow } from '../sheets/sheet.ts'

/** The original rows of a sheet, by line: in memory while they are few, then in a nameless private file. */
export class OriginalRows {
  readonly #database: Database
  readonly #add: Statement<[number, string]>
  readonly #find: Statement<[number], { readonly row: string }>

  constructor() {
    this.#database = new Sqlite('')
    this.#database.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000;
      CREATE TABLE originals (line INTEGER PRIMARY KEY, row TEXT NOT NULL) STRICT;
    `)
    this.#add = this.#database.prepare('INSERT OR REPLACE INTO originals (line, row) VALUES (?, ?)')
    this.#find = this.#database.prepare('SELECT row FROM originals WHERE line = ?')
    this.#database.exec('BEGIN')
  }

  add(row: SheetRow): void {
    this.#add.run(row.line, JSON.stringify(row))
  }

  find(line: number): SheetRow | undefined {
    const found = this.#find.get(line)
    return found && JSON.parse(found.row)
  }

  close(): void {
    this.#database.close()
  }
}
