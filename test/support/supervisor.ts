import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as net from 'node:net'
import { createInterface } from 'node:readline'
import { payctlCommand } from './program.ts'

/**
 * A bound socket that does not listen yet; the process that receives the socket makes it listen. Node does not document
 * the function that makes this socket.
 */
interface BoundSocket {
  readonly fd: number
  close(): void
  getsockname(address: { port?: number }): void
}

const { _createServerHandle: bind } = net as unknown as {
  _createServerHandle(address: string, port: number, family: 4): BoundSocket | number
}

/** Keeps a socket open and runs `payctl emulate` on it, as systemd does with a `.socket` unit. */
export class Supervisor {
  readonly port: number
  readonly baseUrl: string
  /** Milliseconds from each start to the line that says that the emulator is ready. */
  readonly starts: number[] = []
  readonly #socket: BoundSocket
  readonly #args: readonly string[]
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | undefined

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const socket = bind('127.0.0.1', 0, 4)
    if (typeof socket === 'number') throw new Error(`The socket can't be bound: error ${socket}`)
    const address: { port?: number } = {}
    socket.getsockname(address)
    this.#socket = socket
    this.#args = args
    this.#env = env
    this.port = address.port as number
    this.baseUrl = `http://127.0.0.1:${this.port}`
  }

  /** Resolves when the emulator is ready. */
  async start(): Promise<void> {
    const began = performance.now()
    // The process id is only known to the process itself.
    const program = payctlCommand(['emulate', '--json', ...this.#args]).flat()
    const command = ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', ...program]
    const child = spawn('sh', command, {
      stdio: ['ignore', 'pipe', 'inherit', this.#socket.fd],
      env: { ...process.env, ...this.#env, LISTEN_FDS: '1' },
    })
    this.#child = child
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`payctl emulate ended with ${code ?? signal}`)
    })
    ended.catch(() => {})
    await Promise.race([once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line'), ended])
    this.starts.push(performance.now() - began)
  }

  get pid(): number {
    return this.#child?.pid as number
  }

  /** Sends a signal, and resolves with the exit code and the signal that killed the emulator. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<readonly [code: number | null, signal: string | null]> {
    const child = this.#child as ChildProcess
    const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
    child.kill(signal)
    await exited
    return [child.exitCode, child.signalCode]
  }

  async restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.end(signal)
    await this.start()
  }

  async close(): Promise<void> {
    if (this.#child) await this.end('SIGKILL')
    this.#socket.close()
  }
}
