import type { Database as Connection } from 'better-sqlite3'
import { type Compiled, Statements } from './database.ts'
import { type Image, openImage } from './image.ts'

/** Limits of the unused connections: their number, and the size of a database in bytes. */
const limits = { connections: 8, size: 1024 * 1024 }

/** An unused connection to a copy of an image. */
interface Unused {
  readonly image: Image
  readonly connection: Connection
  readonly compiled: Compiled
}

/**
 * Connections to copies of images. Parsing the schema and compiling the statements takes half the time of a short
 * world, so worlds with the same image use the same connection, one after another. Each world runs in a transaction
 * that SQLite rolls back when the world ends: nothing of the world is left for the next world.
 */
export class ConnectionPool {
  /** Oldest first. */
  readonly #unused: Unused[] = []
  #isClosed = false

  /** Opens a copy of an image in memory. */
  open(image: Image): Statements {
    if (image.length > limits.size) return new Statements(openImage(image))
    const found = this.#unused.findLastIndex((unused) => unused.image === image)
    const [unused] = found === -1 ? [] : this.#unused.splice(found, 1)
    return this.#lend(unused ?? { image, connection: openImage(image), compiled: new Map() })
  }

  /** Closes the unused connections, and from now on every connection that is given back. */
  close(): void {
    this.#isClosed = true
    for (const { connection } of this.#unused.splice(0)) connection.close()
  }

  #lend(lent: Unused): Statements {
    const { connection, compiled } = lent
    const changes = new Statements(connection, null, compiled).prepare<[], number>('SELECT total_changes()').pluck()
    const changesBefore = changes.get() ?? 0
    connection.exec('BEGIN')
    const keep = () => void connection.exec('COMMIT')
    const giveBack = () => this.#takeBack(lent)
    return new Statements(connection, { changesBefore, largest: limits.size, keep, giveBack }, compiled)
  }

  #takeBack(given: Unused): void {
    const { connection } = given
    try {
      connection.exec('ROLLBACK')
    } catch (_) {
      connection.close() // SQLite has rolled back because of an error: no other world should use this connection
      return
    }
    this.#unused.push(given)
    if (this.#isClosed || this.#unused.length > limits.connections) this.#unused.shift()?.connection.close()
  }
}
