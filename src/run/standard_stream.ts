import { EventEmitter } from 'node:events'
import { fstatSync, type Stats, statSync, writeSync } from 'node:fs'

type Callback = (error?: Error | null) => void

/** What every pipe has room for, in bytes. */
const pipeRoom = 16 * 1024

/** stdout (1) or stderr (2): Node's own where it is a terminal. */
export function standardStream(name: 'stdout' | 'stderr', fd: number): NodeJS.WriteStream {
  const room = roomOf(fd)
  return room > 0 ? (new PlainStream(name, fd, room) as unknown as NodeJS.WriteStream) : process[name]
}

/** How many bytes can be written to it without waiting for a reader. */
function roomOf(fd: number): number {
  if (process.platform === 'win32') return 0
  try {
    const stat = fstatSync(fd)
    if (stat.isFile() || isNull(stat)) return Number.POSITIVE_INFINITY
    return stat.isFIFO() || stat.isSocket() ? pipeRoom : 0
  } catch {
    return 0 // it is closed
  }
}

const isNull = (stat: Stats): boolean => stat.isCharacterDevice() && stat.rdev === statSync('/dev/null').rdev

/**
 * Writes synchronously for as long as that cannot block: Node's own stream takes 3 ms of a 20 ms run to open. A process
 * that waits in a write hears no signal.
 */
class PlainStream extends EventEmitter {
  errored: Error | null = null
  readonly #fd: number
  readonly #name: 'stdout' | 'stderr'
  /** Bytes that are written without waiting for a reader. */
  #room: number
  /** Node's own, once a pipe can be full. */
  #full: NodeJS.WriteStream | null = null

  constructor(name: 'stdout' | 'stderr', fd: number, room: number) {
    super()
    this.#name = name
    this.#fd = fd
    this.#room = room
  }

  /** Bytes that have not left yet. */
  get writableLength(): number {
    return this.#full?.writableLength ?? 0
  }

  write(text: string | Uint8Array, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
    const done = typeof encoding === 'function' ? encoding : callback
    if (this.errored) {
      if (done) process.nextTick(done, this.errored)
      return false
    }
    const bytes = Buffer.from(text as string)
    this.#room -= bytes.length
    if (this.#room < 0 && !this.#full) this.#wait()
    const rest = this.#full ? bytes : this.#writeNow(bytes)
    if (this.#full) return this.#full.write(rest, done)
    if (done) process.nextTick(done, this.errored)
    return true
  }

  end(text?: string | Uint8Array, encoding?: BufferEncoding | Callback, callback?: Callback): void {
    this.write(text ?? '', encoding, callback)
  }

  /** Returns what did not fit. */
  #writeNow(bytes: Buffer): Buffer {
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') this.#wait()
      else this.#fail(error as Error)
    }
    return bytes.subarray(written)
  }

  #wait(): void {
    this.#full = process[this.#name]
    this.#full.on('drain', () => this.emit('drain'))
    this.#full.on('error', (error) => this.#fail(error))
  }

  #fail(error: Error): void {
    this.errored = error
    process.nextTick(() => this.emit('error', error))
  }
}
