import { deserialize, serialize } from 'node:v8'
import type { Database as Connection } from 'better-sqlite3'

/** Recorded changes of rows as bytes, with the values that undo the changes. */
export type Undo = Buffer

/**
 * A changed row: the number of its table, the kind of change, and the values for the statement that undoes the change.
 */
type Change = readonly [table: number, kind: keyof typeof undoing, ...values: unknown[]]

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  readonly keys: readonly string[]
}

const recorder = 'record_change'

const listed = (names: readonly string[], item: (name: string) => string, separator = ', '): string =>
  names.map((name) => item(`"${name}"`)).join(separator)

const byKey = ({ keys }: Table): string => listed(keys, (key) => `${key} = ?`, ' AND ')

/** For each kind of change: the values that the log records, and the statement that undoes the change. */
const undoing = {
  insert: {
    values: ({ keys }: Table) => listed(keys, (key) => `NEW.${key}`),
    sql: (table: Table) => `DELETE FROM "${table.name}" WHERE ${byKey(table)}`,
  },
  update: {
    values: ({ columns, keys }: Table) =>
      [listed(columns, (column) => `OLD.${column}`), listed(keys, (key) => `NEW.${key}`)].join(', '),
    sql: (table: Table) =>
      `UPDATE "${table.name}" SET ${listed(table.columns, (column) => `${column} = ?`)} WHERE ${byKey(table)}`,
  },
  delete: {
    values: ({ columns }: Table) => listed(columns, (column) => `OLD.${column}`),
    sql: ({ name, columns }: Table) =>
      `INSERT INTO "${name}" (${listed(columns, (column) => column)}) VALUES (${listed(columns, () => '?')})`,
  },
} as const

/**
 * Records the changes of a database's rows while the log is on. It uses temporary triggers, which belong to the
 * connection, so no image or file contains them (docs/decisions/moments.md).
 */
export class UndoLog {
  readonly #connection: Connection
  #changes: Change[] = []
  #isOn = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Starts recording; no transaction may be under way. */
  start(): void {
    if (this.#isOn) return
    const connection = this.#connection
    // Without this setting, no trigger sees the rows that INSERT OR REPLACE removes.
    connection.pragma('recursive_triggers = ON')
    connection.pragma('temp_store = MEMORY')
    connection.function(recorder, { varargs: true }, (...change) => {
      this.#changes.push(change as unknown as Change)
      return null
    })
    const triggers = triggersOf(connection).map(({ name, sql }) => `CREATE TEMP TRIGGER ${name} ${sql};`)
    connection.transaction(() => connection.exec(triggers.join('\n')))()
    this.#isOn = true
  }

  /** Stops recording and drops the recorded changes; no transaction may be under way. */
  stop(): void {
    if (!this.#isOn) return
    this.#isOn = false
    this.#changes = []
    for (const { name } of triggersOf(this.#connection)) this.#connection.exec(`DROP TRIGGER temp.${name}`)
    this.#connection.pragma('recursive_triggers = OFF')
  }

  /** Returns the changes since the last call; null if there are none. */
  take(): Undo | null {
    if (this.#changes.length === 0) return null
    const undo = serialize(this.#changes)
    this.#changes = []
    return undo
  }

  /** Forgets recorded changes that were rolled back. */
  drop(): void {
    this.#changes = []
  }
}

/** Undoes changes in a copy of a database, the latest first. */
export function undoChanges(connection: Connection, latestFirst: Iterable<Undo>): void {
  const tables = tablesOf(connection)
  const statements = new Map<string, ReturnType<Connection['prepare']>>()
  const undo = ([table, kind, ...values]: Change): void => {
    const key = `${kind} ${table}`
    const statement = statements.get(key) ?? connection.prepare(undoing[kind].sql(tables[table] as Table))
    statements.set(key, statement)
    statement.run(...values)
  }
  // The log also contains the changes that triggers and foreign keys made, so triggers and foreign keys must not act
  // again.
  const triggers = connection
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid",
    )
    .all()
  connection.pragma('foreign_keys = OFF')
  try {
    connection.transaction(() => {
      for (const { name } of triggers) connection.exec(`DROP TRIGGER "${name}"`)
      for (const changes of latestFirst) for (const change of (deserialize(changes) as Change[]).reverse()) undo(change)
      for (const { sql } of triggers) connection.exec(sql)
    })()
  } finally {
    connection.pragma('foreign_keys = ON')
  }
}

/** Temporary triggers that record every change: their names, and their SQL after the name. */
const triggersOf = (connection: Connection) =>
  tablesOf(connection).flatMap((table, number) =>
    (Object.keys(undoing) as (keyof typeof undoing)[]).map((kind) => ({
      name: `${recorder}_${number}_${kind}`,
      sql:
        `AFTER ${kind.toUpperCase()} ON main."${table.name}" ` +
        `BEGIN SELECT ${recorder}(${number}, '${kind}', ${undoing[kind].values(table)}); END`,
    })),
  )

/** All tables with their columns and primary keys. In a copy of a database, the tables have the same order. */
function tablesOf(connection: Connection): readonly Table[] {
  const names = connection
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name`,
    )
    .pluck()
    .all() as string[]
  const columnsOf = connection.prepare<[string], { name: string; pk: number }>(
    'SELECT name, pk FROM pragma_table_info(?)',
  )
  return names.map((name) => {
    const columns = columnsOf.all(name)
    const keys = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
    return { name, columns: columns.map((column) => column.name), keys: keys.map((key) => key.name) }
  })
}
