import Sqlite, { type Database as Connection } from 'better-sqlite3'
import { migrations } from './migrations.ts'

/** "pctl": SQLite's header has a field that says which program made the file. */
export const applicationId = 0x7063746c

/** Bytes of the header of an SQLite file. */
export const headerSize = 100

/** Offsets in it, and the number that stands for UTF-8. */
const header = { magic: 'SQLite format 3\0', pageSize: 16, encoding: 56, userVersion: 60, applicationId: 68, utf8: 1 }

/** A file that can't be a world's. `flaw` goes on after its name: "is damaged". */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
  readonly flaw: string
  /** What would help, other than another file. */
  readonly remedy: string | null

  constructor(flaw: string, remedy: string | null = null) {
    super(`The file ${flaw}`)
    this.flaw = flaw
    this.remedy = remedy
  }
}

export const damaged = (): UnusableFile => new UnusableFile('is damaged', 'Restore a copy of it')

/** Looks at the first bytes of a file, which SQLite has not opened yet. Throws UnusableFile. */
export function checkHeader(bytes: Buffer): void {
  const ours =
    bytes.length >= headerSize &&
    bytes.toString('latin1', 0, header.magic.length) === header.magic &&
    bytes.readUInt32BE(header.applicationId) === applicationId
  if (!ours) throw new UnusableFile('was not made by payctl emulate')
  if (bytes.readUInt32BE(header.userVersion) > migrations.length) {
    throw new UnusableFile(
      'was made by a newer payctl, and this one can’t read it',
      'Install a newer payctl, as its README says',
    )
  }
  const isWhole = bytes.readUInt32BE(header.userVersion) > 0 && bytes.readUInt32BE(header.encoding) === header.utf8
  if (!isWhole) throw damaged()
}

/** Whether a whole file has whole pages only; SQLite takes what is missing of the last one for zeros. */
export function checkLength(bytes: Buffer): void {
  const pageSize = bytes.readUInt16BE(header.pageSize)
  if (bytes.length % (pageSize === 1 ? 65_536 : pageSize) !== 0) throw damaged()
}

interface SchemaEntry {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

/**
 * Checks that the database is built as payctl builds it, and its pages. In this order: a view, a trigger or a virtual table
 * of a stranger could do harm when SQLite reads it. `pages` of a file that comes from elsewhere takes a thorough check.
 * Throws UnusableFile.
 */
export function checkStructure(connection: Connection, pages: 'quick_check' | 'integrity_check'): void {
  takingErrorsForDamage(() => {
    connection.pragma('trusted_schema = OFF')
    connection.pragma('cell_size_check = ON')
    checkSchema(connection)
    if (connection.pragma(`${pages}(1)`, { simple: true }) !== 'ok') throw damaged()
  })
}

/** SQLite finds the damage of a file when it comes to it. Errors of the file system are no damage. */
export function takingErrorsForDamage<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { code = '' } = error as { code?: string }
    throw /^SQLITE_(CORRUPT|NOTADB|ERROR|FORMAT|MISMATCH)/.test(code) ? damaged() : error
  }
}

function checkSchema(connection: Connection): void {
  const version = connection.pragma('user_version', { simple: true }) as number
  const expected = new Map(schemaAt(version).map((entry) => [keyOf(entry), entry]))
  for (const entry of schemaOf(connection)) {
    const { sql } = expected.get(keyOf(entry)) ?? {}
    const what = `${entry.type} ${JSON.stringify(entry.name.slice(0, 60))}`
    if (sql === undefined) throw new UnusableFile(`has a ${what}, which payctl has not made`)
    if (sql !== entry.sql) throw new UnusableFile(`has a ${what} other than payctl makes it`)
    expected.delete(keyOf(entry))
  }
  for (const { type, name } of expected.values()) throw new UnusableFile(`lacks the ${type} "${name}"`)
}

const keyOf = ({ type, name }: SchemaEntry): string => `${type} ${name}`

const schemaOf = (connection: Connection): SchemaEntry[] =>
  connection.prepare<[], SchemaEntry>('SELECT type, name, sql FROM main.sqlite_schema').all()

const schemas = new Map<number, readonly SchemaEntry[]>()

/** The schema that payctl gave a world at some version. */
function schemaAt(version: number): readonly SchemaEntry[] {
  let schema = schemas.get(version)
  if (!schema) {
    const connection = new Sqlite(':memory:')
    for (const step of migrations.slice(0, version)) connection.exec(step)
    schema = schemaOf(connection)
    connection.close()
    schemas.set(version, schema)
  }
  return schema
}
