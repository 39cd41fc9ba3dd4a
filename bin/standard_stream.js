'use strict'

const { EventEmitter } = require('events')
const fs = require('fs')

/** What every pipe has room for, in bytes. */
const PIPE_ROOM = 16 * 1024

/**
 * Writes synchronously for as long as that cannot block: Node's own stream takes 3 ms of a 20 ms run to open. A process
 * that waits in a write hears no signal.
 */
class PlainStream extends EventEmitter {
  errored = null
  #fd
  #name
  /** Bytes that are written without waiting for a reader. */
  #room
  /** Node's own, once a pipe can be full. */
  #full = null

  constructor(name, fd, room) {
    super()
    this.#name = name
    this.#fd = fd
    this.#room = room
  }

  write(text, encoding, callback) {
    const done = typeof encoding === 'function' ? encoding : callback
    if (this.errored) {
      if (done) process.nextTick(done, this.errored)
      return false
    }
    const bytes = Buffer.from(text)
    this.#room -= bytes.length
    if (this.#room < 0 && !this.#full) this.#wait()
    const rest = this.#full ? bytes : this.#writeNow(bytes)
    if (this.#full) return this.#full.write(rest, done)
    if (done) process.nextTick(done, this.errored)
    return true
  }

  end(text, encoding, callback) {
    this.write(text || '', encoding, callback)
  }

  /** Returns what did not fit. */
  #writeNow(bytes) {
    let written = 0
    try {
      while (written < bytes.length) written += fs.writeSync(this.#fd, bytes, written)
    } catch (error) {
      if (error.code === 'EAGAIN') this.#wait()
      else this.#fail(error)
    }
    return bytes.subarray(written)
  }

  #wait() {
    this.#full = process[this.#name]
    this.#full.on('drain', () => this.emit('drain'))
    this.#full.on('error', (error) => this.#fail(error))
  }

  #fail(error) {
    this.errored = error
    process.nextTick(() => this.emit('error', error))
  }
}

/** How many bytes can be written to it without waiting for a reader. */
function roomOf(fd) {
  if (process.platform === 'win32') return 0
  try {
    const stat = fs.fstatSync(fd)
    if (stat.isFile()) return Number.POSITIVE_INFINITY
    return stat.isFIFO() || stat.isSocket() ? PIPE_ROOM : 0
  } catch (_closed) {
    return 0
  }
}

/** stdout (1) or stderr (2): Node's own where it is a terminal. */
module.exports = (name, fd) => {
  const room = roomOf(fd)
  return room > 0 ? new PlainStream(name, fd, room) : process[name]
}
