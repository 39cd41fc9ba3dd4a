import type { Database as Connection } from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConnectionPool } from '../../../emulator/store/connection_pool.ts'
import { openDataFile } from '../../../emulator/store/data_file.ts'
import { Database, type Statements } from '../../../emulator/store/database.ts'
import { imageOf } from '../../../emulator/store/image.ts'
import { storeIn } from '../../../emulator/store/store.ts'

const seeded = openDataFile(null, (connection) => connection.exec("INSERT INTO settings VALUES ('start', '1')"))
const image = imageOf(seeded)
seeded.close()

function newPool(): ConnectionPool {
  const pool = new ConnectionPool()
  onTestFinished(() => pool.close())
  return pool
}

const setting = (statements: Statements) =>
  statements.prepare<[string, string]>('INSERT OR REPLACE INTO settings VALUES (?, ?)')

const names = (statements: Statements) =>
  statements.prepare<[], string>('SELECT name FROM settings ORDER BY name').pluck().all()

/** A world's database, and a function that writes a setting. */
function worldOf(statements: Statements) {
  const database = new Database(statements)
  const insert = setting(statements)
  return { statements, database, write: (name: string) => database.write(() => insert.run(name, '2')) }
}

/** Fills the database until SQLite rolls back all that the world has written. */
function rollBack({ statements: { connection }, write }: ReturnType<typeof worldOf>): void {
  write('first')
  connection.pragma(`max_page_count = ${connection.pragma('page_count', { simple: true })}`)
  expect(() => write('x'.repeat(100_000))).toThrow('full')
  expect(connection.inTransaction).toBe(false)
  expect(() => write('second')).toThrow('The world has ended')
}

/** Uses a connection for one world; returns the connection. */
function usedOnce(pool: ConnectionPool, use: (world: ReturnType<typeof worldOf>) => void = () => {}): Connection {
  const statements = pool.open(image)
  const world = worldOf(statements)
  use(world)
  world.database.close()
  return statements.connection
}

describe('a connection of an ended world', () => {
  it('goes to the next world with the same image, without a trace of the first', () => {
    const pool = newPool()
    const first = usedOnce(pool, ({ write }) => write('first'))

    const next = pool.open(image)

    expect(next.connection).toBe(first)
    expect(names(next)).toEqual(['start'])
    expect(worldOf(next).database.changes).toBe(0)
    expect(imageOf(new Database(next).connection)).toEqual(image)
  })

  it('does not go to a world with another image, even an equal one', () => {
    const pool = newPool()
    const first = usedOnce(pool)
    expect(pool.open(Buffer.from(image)).connection).not.toBe(first)
  })

  it('is not used by two worlds at once', () => {
    const pool = newPool()
    usedOnce(pool)
    expect(pool.open(image).connection).not.toBe(pool.open(image).connection)
  })

  it('refuses all statements of the first world', () => {
    const pool = newPool()
    const statements = pool.open(image)
    const { database, write } = worldOf(statements)
    const store = storeIn(statements)
    store.registry.all()
    write('first')
    database.close()

    const next = pool.open(image)

    expect(() => store.registry.all()).toThrow('The world has ended')
    expect(() => write('late')).toThrow('The world has ended')
    expect(() => database.connection).toThrow('The world has ended')
    database.close()
    expect(names(next)).toEqual(['start'])
  })

  it.each<[string, (world: ReturnType<typeof worldOf>) => void]>([
    ['whose connection was used directly', ({ database }) => database.connection.exec('CREATE TABLE own (n INTEGER)')],
    [
      'whose connection was used directly during a write',
      ({ database }) => database.write(() => database.connection.pragma('user_version = 7')),
    ],
    [
      'that grew large',
      ({ write }) => {
        for (let n = 0; n < 200; n++) write(`${n}${'x'.repeat(10_000)}`)
      },
    ],
    ['that SQLite has rolled back for lack of room', rollBack],
  ])('is closed after a world %s', (_, use) => {
    const pool = newPool()
    const connection = usedOnce(pool, use)
    expect(connection.open).toBe(false)
    expect(names(pool.open(image))).toEqual(['start'])
  })

  it('is closed if there are enough others, or if the emulator has ended', () => {
    const pool = newPool()
    const worlds = Array.from({ length: 10 }, () => pool.open(image))
    for (const statements of worlds) new Database(statements).close()
    expect(worlds.filter(({ connection }) => connection.open)).toHaveLength(8)
    const late = pool.open(image)

    pool.close()
    new Database(late).close()

    expect([late, ...worlds].filter(({ connection }) => connection.open)).toEqual([])
  })
})

describe('a world with a borrowed connection', () => {
  it('commits the writes of a turn together, and undoes a write that fails', async () => {
    const statements = newPool().open(image)
    const { database, write } = worldOf(statements)
    write('first')
    await database.settled
    const halfWay = () => {
      write('second')
      throw new Error('no further')
    }

    expect(() => database.write(halfWay)).toThrow('no further')
    write('third')
    await database.settled

    expect(database.settled).toBeNull()
    expect(names(statements)).toEqual(['first', 'start', 'third'])
    expect(database.changes).toBe(3)
  })

  it('has all its rows in an image, and goes on', async () => {
    const statements = newPool().open(image)
    const { database, write } = worldOf(statements)
    write('first')
    await database.settled
    const copy = imageOf(database.connection)
    write('second')
    await database.settled

    expect(names(newPool().open(copy))).toEqual(['first', 'start'])
    expect(names(newPool().open(imageOf(database.connection)))).toEqual(['first', 'second', 'start'])
  })

  it('has the rows of its earlier writes if it keeps the connection, and SQLite has no more room', async () => {
    const statements = newPool().open(image)
    const { database, write } = worldOf(statements)
    write('first')
    await database.settled
    const { connection } = database
    connection.pragma(`max_page_count = ${connection.pragma('page_count', { simple: true })}`)

    write('second')
    const { settled } = database
    expect(() => write('x'.repeat(100_000))).toThrow('full')
    await expect(settled).rejects.toThrow('full')
    write('third')
    await database.settled

    expect(names(statements)).toEqual(['first', 'start', 'third'])
  })
})
