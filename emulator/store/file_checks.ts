import Sqlite, { type Database as Connection } from 'better-sqlite3'
import { migrations } from './migrations.ts'

/** "pctl": the application id in SQLite's header, which identifies the program that made the file. */
export const applicationId = 0x7063746c

/** Size of an SQLite file's header, in bytes. */
export const headerSize = 100

/** Offsets in the header, and SQLite's number for UTF-8. */
const header = { magic: 'SQLite format 3\0', pageSize: 16, encoding: 56, userVersion: 60, applicationId: 68, utf8: 1 }

/**
 * Error of a file that can't be used as the file of a world. `flaw` continues the sentence after the file's name: "is
 * damaged".
 */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
  readonly flaw: string
  /** Advice other than to use another file; null: there is none. */
  readonly remedy: string | null

  constructor(flaw: string, remedy: string | null = null) {
    super(`The file ${flaw}`)
    this.flaw = flaw
    this.remedy = remedy
  }
}

export const damaged = (): UnusableFile => new UnusableFile('is damaged', 'Restore a copy of the file')

/** Checks the first bytes of a file before SQLite opens it. Throws UnusableFile. */
export function checkHeader(bytes: Buffer): void {
  const ours =
    bytes.length >= headerSize &&
    bytes.toString('latin1', 0, header.magic.length) === header.magic &&
    bytes.readUInt32BE(header.applicationId) === applicationId
  if (!ours) throw new UnusableFile('was not made by payctl emulate')
  if (bytes.readUInt32BE(header.userVersion) > migrations.length) {
    throw new UnusableFile(
      'was made by a newer payctl, and this one can’t read it',
      'Install a newer payctl in the same way as this one',
    )
  }
  const isWhole = bytes.readUInt32BE(header.userVersion) > 0 && bytes.readUInt32BE(header.encoding) === header.utf8
  if (!isWhole) throw damaged()
}

/**
 * Refuses a file that does not end with a whole page; SQLite would read zeros for the missing part. Throws
 * UnusableFile.
 */
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
 * Checks first that the database has payctl's schema, and then checks its pages. The order matters: a view, trigger or virtual table
 * that payctl did not create could do harm when SQLite reads it. Use the thorough `integrity_check` for a file from
 * elsewhere. Throws UnusableFile.
 */
export function checkStructure(connection: Connection, pages: 'quick_check' | 'integrity_check'): void {
  takingErrorsForDamage(() => {
    connection.pragma('trusted_schema = OFF')
    connection.pragma('cell_size_check = ON')
    checkSchema(connection)
    if (connection.pragma(`${pages}(1)`, { simple: true }) !== 'ok') throw damaged()
  })
}

/**
 * Reports errors of SQLite as damage of the file, because SQLite finds damage only when it reads the damaged part. Does
 * not change errors of the file system.
 */
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
    if (sql === undefined) throw new UnusableFile(`has a ${what}, which payctl did not make`)
    if (sql !== entry.sql) throw new UnusableFile(`has a ${what} that differs from payctl’s`)
    expected.delete(keyOf(entry))
  }
  for (const { type, name } of expected.values()) throw new UnusableFile(`lacks the ${type} "${name}"`)
}

const keyOf = ({ type, name }: SchemaEntry): string => `${type} ${name}`

const schemaOf = (connection: Connection): SchemaEntry[] =>
  connection.prepare<[], SchemaEntry>('SELECT type, name, sql FROM main.sqlite_schema').all()

const schemas = new Map<number, readonly SchemaEntry[]>()

/** The schema of a world at a version. */
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
