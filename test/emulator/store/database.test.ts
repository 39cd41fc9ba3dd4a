import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Database, Statements, withFixedPlan } from '../../../emulator/store/database.ts'
import { newFolder } from './folder.ts'

/** A database with a table of unique numbers; a negative number breaks a deferred constraint at the commit. */
function numbers() {
  const connection = new Sqlite(':memory:')
  connection.exec(`
    CREATE TABLE paid (n INTEGER PRIMARY KEY);
    CREATE TABLE numbers (n INTEGER PRIMARY KEY, debt INTEGER REFERENCES paid DEFERRABLE INITIALLY DEFERRED)`)
  const database = new Database(new Statements(connection))
  onTestFinished(() => {
    if (connection.open) database.close()
  })
  const insert = connection.prepare('INSERT INTO numbers VALUES (?, ?)')
  return {
    database,
    add: (n: number) => insert.run(n, n < 0 ? n : null),
    all: () => connection.prepare<[], number>('SELECT n FROM numbers ORDER BY n').pluck().all(),
  }
}

const stop = (): never => {
  throw new Error('no further')
}

describe('writing to the database', () => {
  test('is not settled until the turn is over, and then it is', async () => {
    const { database, add, all } = numbers()
    expect(database.settled).toBeNull()

    database.write(() => add(1))
    const { settled } = database
    expect(settled).not.toBeNull()
    await settled

    expect(database.settled).toBeNull()
    expect(database.connection.inTransaction).toBe(false)
    expect(all()).toEqual([1])
  })

  test('all writes of a turn settle together', async () => {
    const { database, add, all } = numbers()

    database.write(() => add(1))
    const first = database.settled
    database.write(() => add(2))

    expect(database.settled).toBe(first)
    await first
    expect(all()).toEqual([1, 2])
  })

  test('work that throws before it wrote anything concerns nobody else', async () => {
    const { database, add, all } = numbers()
    database.write(() => add(1))
    const { settled } = database

    expect(() => database.write(stop)).toThrow('no further')
    database.write(() => add(2))

    await settled
    expect(all()).toEqual([1, 2])
  })

  test('work that throws half-way leaves nothing behind', async () => {
    const { database, add, all } = numbers()
    const halfWay = () => {
      add(1)
      stop()
    }

    expect(() => database.write(halfWay)).toThrow('no further')
    await turn()

    expect(all()).toEqual([])
  })

  test('who shared a batch that came to nothing hears of it, and later writes are not concerned', async () => {
    const { database, add, all } = numbers()
    database.write(() => add(1))
    const { settled } = database

    expect(() => database.write(() => [add(2), add(2)])).toThrow('UNIQUE')
    database.write(() => add(3))
    const later = database.settled

    await expect(settled).rejects.toThrow('UNIQUE')
    await later
    expect(all()).not.toContain(2)
    expect(all()).toContain(3)
  })

  test('a commit that fails is heard by all who share it', async () => {
    const { database, add, all } = numbers()
    database.write(() => add(1))
    const first = database.settled
    database.write(() => add(-1))
    const second = database.settled

    await expect(first).rejects.toThrow('FOREIGN KEY')
    await expect(second).rejects.toThrow('FOREIGN KEY')
    expect(all()).toEqual([])
    database.write(() => add(2))
    await database.settled
    expect(all()).toEqual([2])
  })

  test('what nobody waits for may fail without ending the process', async () => {
    const { database, add, all } = numbers()

    database.write(() => add(-1))
    await turn()
    await turn()

    expect(all()).toEqual([])
  })
})

test('closing keeps what was written in the same turn', async () => {
  const file = join(newFolder(), 'numbers.db')
  const database = new Database(new Statements(new Sqlite(file)))
  database.connection.exec('CREATE TABLE numbers (n INTEGER)')
  database.write(() => database.connection.exec('INSERT INTO numbers VALUES (7)'))
  const { settled } = database

  database.close()

  await settled
  const again = new Sqlite(file)
  expect(again.prepare('SELECT n FROM numbers').pluck().all()).toEqual([7])
  again.close()
})

test('a parameter hides its value from the planner, and text stays as it is', () => {
  expect(withFixedPlan("SELECT '?', n FROM numbers WHERE n = ? AND n > @least AND n < ?1 LIMIT ?")).toBe(
    "SELECT '?', n FROM numbers WHERE n = +? AND n > +@least AND n < +?1 LIMIT +?",
  )
})
