import Sqlite, { type Database } from 'better-sqlite3'
import type { SqlSource } from './sql_tables.ts'

/** The only message that the process gets. */
export interface SqlQuestion {
  readonly image: Buffer
  /** Series of the delivery ids. */
  readonly series: number
  readonly tables: readonly SqlSource[]
  readonly query: string
  readonly limit: number
}

export type SqlAnswer =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[]; readonly more: boolean }
  | { readonly fault: string }

/**
 * Sent when the query begins, before the answer. The time limit starts then, because the time to fill the tables
 * depends on the machine and the world.
 */
export interface SqlBegun {
  readonly begun: true
}

/** Size limit of an answer, in characters. */
const longestAnswer = 16 * 1024 * 1024

/** Size limit of an error message, in characters. */
const longestFault = 500

/** Memory limit of SQLite for a query, in bytes. */
const mostMemory = 1024 * 1024 * 1024

/** Creates all tables, and fills those whose names occur in the query. */
function fill(database: Database, { image, series, tables, query }: SqlQuestion): void {
  const world = new Sqlite(Buffer.from(image))
  const rowsOf = (sql: string) => {
    const statement = world.prepare<unknown[], readonly unknown[]>(sql).raw()
    return sql.includes('@series') ? statement.iterate({ series }) : statement.iterate()
  }
  for (const { name, columns, from } of tables) {
    database.exec(`CREATE TABLE "${name}" (${columns.map((column) => `"${column}"`).join(', ')})`)
    if (!query.toLowerCase().includes(name)) continue
    const insert = database.prepare(`INSERT INTO "${name}" VALUES (${columns.map(() => '?').join(', ')})`)
    database.exec('BEGIN')
    for (const row of typeof from === 'string' ? rowsOf(from) : from) insert.run(...row)
    database.exec('COMMIT')
  }
  world.close()
}

function answer(database: Database, question: SqlQuestion): SqlAnswer {
  try {
    database.pragma(`hard_heap_limit = ${mostMemory}`)
    return run(database, question)
  } catch (error) {
    // The message may repeat the whole query.
    return { fault: (error as Error).message.slice(0, longestFault) }
  }
}

function run(database: Database, { query, limit }: SqlQuestion): SqlAnswer {
  const statement = database.prepare<unknown[], unknown[]>(query)
  if (!statement.reader || !statement.readonly || !startsAsSelect(query)) return { fault: 'Only a SELECT is run.' }
  const columns = statement.columns().map(({ name }) => name)
  const rows: unknown[][] = []
  let size = 0
  for (const row of statement.raw().iterate()) {
    if (rows.length === limit) return { columns, rows, more: true }
    const shown = row.map((value) => (value instanceof Buffer ? `x'${value.toString('hex')}'` : value))
    size += JSON.stringify(shown).length
    if (size > longestAnswer) return { fault: 'The answer is too large. Select less, or shorten values with substr().' }
    rows.push(shown)
  }
  return { columns, rows, more: false }
}

/** Skips comments. SQLite regards a PRAGMA as a read, but queries must not use any. */
const startsAsSelect = (query: string): boolean =>
  /^(\s|--.*\n|\/\*[\s\S]*?\*\/|\()*(select|with|values)\b/i.test(query)

/**
 * Answers a query in a separate process, because SQLite blocks its thread. The process can be killed if the query takes
 * too long. The query reads copies of tables in a separate database; the world's database is closed by then, so other
 * data is out of reach.
 */
process.once('message', (question: SqlQuestion) => {
  const database = new Sqlite(':memory:')
  fill(database, question)
  process.send?.({ begun: true } satisfies SqlBegun, () => {
    process.send?.(answer(database, question), () => process.disconnect?.())
  })
})
