import { Duplex } from 'node:stream'
import { Killed, machine, type Process } from './machine.ts'

/**
 * A connection: passes bytes from each end to the other, and reports to each end when the other end has ended or
 * closed.
 */
export interface Ends {
  transmit(from: SimulatedSocket, bytes: Buffer): void
  end(from: SimulatedSocket): void
  closed(from: SimulatedSocket): void
}

interface End {
  readonly connection: Ends
  readonly side: 'client' | 'server'
  readonly process: Process | undefined
  readonly remote: { readonly host: string; readonly port: string }
  /** Process at the other end, if known. */
  readonly peer?: Process | undefined
}

/** One end of a connection, with the parts of a socket that node:http and undici use. */
export class SimulatedSocket extends Duplex {
  readonly side: 'client' | 'server'
  readonly process: Process | undefined
  readonly peer: Process | undefined
  readonly remoteAddress: string
  readonly remotePort: number
  readonly remoteFamily = 'IPv4'
  connecting: boolean
  readonly #connection: Ends
  #timeout = 0
  #timer: ReturnType<typeof machine.after> | undefined

  constructor({ connection, side, process, remote, peer }: End) {
    super({ allowHalfOpen: side === 'server' })
    this.#connection = connection
    this.side = side
    this.process = process
    this.peer = peer
    this.connecting = side === 'client'
    this.remoteAddress = side === 'client' ? remote.host : '127.0.0.1'
    this.remotePort = Number(remote.port)
    this.on('error', () => {}) // a connection may be reset without a listener
  }

  get alive(): boolean {
    return this.process?.alive ?? true
  }

  connected(): void {
    if (this.destroyed) return
    this.connecting = false
    this.emit('connect')
    this.emit('ready')
  }

  refuse(): void {
    const error = new Error('connect ECONNREFUSED')
    this.destroy(Object.assign(error, { code: 'ECONNREFUSED', syscall: 'connect' }))
  }

  /** Receives bytes; null: the other side has ended. */
  receive(bytes: Buffer | null): void {
    this.#moved()
    if (!this.readableEnded && !this.destroyed) this.push(bytes)
  }

  reset(): void {
    this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }))
  }

  override _read(): void {}

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    this.#transmit(Buffer.from(bytes), done)
  }

  override _writev(all: readonly { readonly chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#transmit(Buffer.concat(all.map(({ chunk }) => Buffer.from(chunk))), done)
  }

  #transmit(bytes: Buffer, done: (error?: Error) => void): void {
    this.#moved()
    try {
      if (this.connecting) throw new Error('written before it was connected')
      this.#connection.transmit(this, bytes)
      done()
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      done(error)
    }
  }

  override _final(done: () => void): void {
    this.#connection.end(this)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#timer) this.#timer.cancelled = true
    this.#connection.closed(this)
    done(error)
  }

  setTimeout(ms: number, hear?: () => void): this {
    this.#timeout = ms
    if (hear && ms > 0) this.once('timeout', hear)
    else if (hear) this.off('timeout', hear)
    this.#moved()
    return this
  }

  #moved(): void {
    if (this.#timer) this.#timer.cancelled = true
    this.#timer = undefined
    if (this.#timeout <= 0 || this.destroyed) return
    this.#timer = machine.as(this.process, () => machine.after(this.#timeout, () => this.emit('timeout')))
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  setNoDelay = (): this => this
  setKeepAlive = (): this => this
  ref = (): this => this
  unref = (): this => this
}
