import crypto from 'node:crypto'
import fs from 'node:fs'
import http, { type AgentOptions } from 'node:http'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Duplex } from 'node:stream'
import { changes, SimulatedFile } from './files.ts'
import { machine, type Process } from './machine.ts'
import { connect } from './network.ts'
import { listen } from './servers.ts'

// Replaces Node's time, timers, randomness and network with those of the simulated machine. Import this file before any
// module of payctl, because modules capture the functions when they load.

const require = createRequire(import.meta.url)

class SimulatedDate extends Date {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(machine.now)
    else super(...(given as [number]))
  }

  static override now(): number {
    return machine.now
  }
}

/** Result of `setTimeout` and `setInterval`. */
class Timeout {
  #work: () => void
  readonly #ms: number
  readonly #repeats: boolean
  #planned: ReturnType<typeof machine.after> | undefined

  constructor(work: () => void, ms: number, repeats: boolean) {
    this.#work = work
    this.#ms = Math.max(1, Number(ms) || 1)
    this.#repeats = repeats
    this.refresh()
  }

  /** Restarts the timer for the current process, which may differ from the process that started it. */
  refresh(): this {
    this.cancel()
    this.#planned = machine.after(this.#ms, () => {
      if (this.#repeats) this.refresh()
      this.#work()
    })
    return this
  }

  cancel(): void {
    if (this.#planned) this.#planned.cancelled = true
  }

  ref = () => this
  unref = () => this
  hasRef = () => true
  close = () => {
    this.cancel()
    return this
  };
  [Symbol.toPrimitive] = () => 0;
  [Symbol.dispose] = () => this.cancel()
}

type Work = (...values: readonly unknown[]) => void

/** True for the timer of undici: all agents share it, so it does not die with a process. */
const isShared = (work: Work): boolean => work.name === 'onTick'

const timers = {
  setTimeout: (work: Work, ms = 1, ...values: readonly unknown[]) =>
    isShared(work)
      ? machine.as(undefined, () => new Timeout(() => work(...values), ms, false))
      : new Timeout(() => work(...values), ms, false),
  setInterval: (work: Work, ms = 1, ...values: readonly unknown[]) => new Timeout(() => work(...values), ms, true),
  setImmediate: (work: Work, ...values: readonly unknown[]) => machine.soon(() => work(...values)),
  clearTimeout: (timer: unknown) => timer instanceof Timeout && timer.cancel(),
  clearInterval: (timer: unknown) => timer instanceof Timeout && timer.cancel(),
  clearImmediate: (timer: { cancel(): void } | undefined) => timer?.cancel(),
}

interface Waiting {
  readonly signal?: AbortSignal
}

const pause = (ms = 1, value?: unknown, { signal }: Waiting = {}): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      timer.cancel()
      reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }))
    }
    const timer = new Timeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve(value)
      },
      ms,
      false,
    )
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
  })

function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  new Timeout(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms, false)
  return controller.signal
}

/**
 * Makes an asynchronous function answer at once: a thread that reads a file would finish at a time that no seed
 * decides.
 */
const atOnce =
  (name: string) =>
  async (...given: readonly unknown[]): Promise<unknown> => {
    ;(machine.process as Process | undefined)?.step(name)
    return (fs as unknown as Record<string, (...values: readonly unknown[]) => unknown>)[`${name}Sync`]?.(...given)
  }

const files = [
  'access',
  'chmod',
  'lstat',
  'mkdir',
  'readFile',
  'readdir',
  'realpath',
  'rename',
  'rm',
  'stat',
  'writeFile',
]

/** Replaces the process id with the number of the current simulated process. */
const ownNumber = {
  toJSON: () => machine.process?.number ?? 0,
  [Symbol.toPrimitive]: () => machine.process?.number ?? 0,
}

function installProcesses(): void {
  const { kill } = process
  Object.defineProperty(process, 'pid', { value: ownNumber })
  process.kill = (number, signal) => {
    const isRunning = machine.isRunning(number)
    if (isRunning === undefined) return kill.call(process, number, signal)
    if (!isRunning) throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' })
    return true
  }
}

function install(): void {
  const uuid = () => {
    const bytes = machine.random.bytes(16)
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }
  Object.assign(globalThis, timers, { Date: Object.defineProperty(SimulatedDate, 'name', { value: 'Date' }) })
  Object.assign(require('node:timers'), timers)
  Object.assign(require('node:timers/promises'), {
    setTimeout: pause,
    setImmediate: (value?: unknown) => new Promise((resolve) => machine.soon(() => resolve(value))),
  })
  Object.assign(AbortSignal, { timeout: abortAfter })
  Math.random = () => machine.random.fraction()
  Object.defineProperty(performance, 'now', { value: () => machine.elapsed })
  Object.assign(crypto, {
    randomUUID: uuid,
    randomBytes: (count: number) => machine.random.bytes(count),
    randomInt: (least: number, most?: number) =>
      most === undefined ? machine.random.integer(0, least - 1) : machine.random.integer(least, most - 1),
  })
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: uuid })
  Object.defineProperty(globalThis.crypto, 'getRandomValues', {
    value: <T extends NodeJS.TypedArray>(into: T) => {
      machine.random.bytes(into.byteLength).copy(Buffer.from(into.buffer, into.byteOffset, into.byteLength))
      return into
    },
  })
  Object.assign(fs.promises, Object.fromEntries(files.map((name) => [name, atOnce(name)])))
  fs.promises.open = (async (...given: ConstructorParameters<typeof SimulatedFile>) => {
    machine.process?.step('open')
    return new SimulatedFile(...given)
  }) as unknown as typeof fs.promises.open
  Object.assign(fs, changes)
  http.Server.prototype.listen = listen as typeof http.Server.prototype.listen
  installProcesses()
  http.Agent.prototype.createConnection = ((options: AgentOptions & { host: string; port: number }): Duplex =>
    connect(options)) as typeof http.Agent.prototype.createConnection
  Object.assign(require('node:net'), { connect, createConnection: connect })
  syncBuiltinESMExports()
}

install()
