import { AsyncLocalStorage } from 'node:async_hooks'
import { Random } from '../random.ts'
import { beginning } from '../script/script.ts'
import { type Event, EventQueue } from './event_queue.ts'

// The machine that everything runs on: virtual time, one event at a time, and processes that can be killed.

/** Thrown by every effect of a dead process. */
export class Killed extends Error {}

/**
 * A process of the simulated machine: a run of payctl, or the emulator. The asynchronous work of a process also belongs
 * to the process.
 */
export class Process {
  readonly name: string
  readonly random: Random
  /** Number by which other processes know this process. */
  readonly number = machine.numbered(this)
  alive = true
  /** True once the process has ended on its own: its timers are gone. */
  ended = false
  /** True if changes of files are steps too, like statements and requests. */
  filesAreSteps = false
  /** Milliseconds by which the clock of the process is ahead of the machine's clock. */
  clockOffset = 0
  /** True if a fault happened to this process, or to a process that it talks to. */
  disturbed = false
  /** Number of steps so far: statements, requests and changes of files. */
  steps = 0
  /**
   * Time until which the process waits for the disk, in virtual milliseconds; its events wait too, and are then handled
   * together.
   */
  busyUntil = 0
  /** Duration of a commit on the process's disk, in milliseconds. */
  commitMs = (): number => 0
  /**
   * Kills the process within its next statement; `written` is the share of that statement's writes that reaches the
   * files.
   */
  dying: { readonly kill: () => void; readonly written: number } | undefined
  /** Called before each step; an error that it throws becomes the error of the step. */
  onStep: (what: string) => void = () => {}
  /** Aborted by Ctrl-C. */
  readonly interruption = new AbortController()
  interruptedAt: number | undefined
  readonly #atDeath: (() => void)[] = []

  constructor(name: string, random: Random) {
    this.name = name
    this.random = random
  }

  /** Registers work that the operating system does when the process dies. */
  atDeath(end: () => void): void {
    this.#atDeath.push(end)
  }

  /** Call before each effect. Throws Killed if the process is dead, or dies here. */
  step(what: string): void {
    if (!this.alive) throw new Killed(`${this.name} is dead`)
    this.steps += 1
    machine.steps += 1
    this.onStep(what)
    if (!this.alive) throw new Killed(`${this.name} is dead`)
  }

  /** Presses Ctrl-C: the event loop handles it in its next turn. */
  interrupt(): void {
    this.interruptedAt ??= machine.elapsed
    machine.as(this, () => machine.soon(() => this.interruption.abort('SIGINT')))
  }

  /** Kills the process, which has no effect from now on. */
  kill(): void {
    if (!this.alive) return
    this.alive = false
    this.disturbed = true
    machine.log(`${this.name} is killed`)
    for (const end of this.#atDeath.splice(0)) end()
  }
}

/** Event loop of the real machine, saved before it is replaced. A turn drains microtasks and `nextTick`. */
const realImmediate = setImmediate
const realNow = performance.now.bind(performance)

const current = new AsyncLocalStorage<Process | undefined>()

/** First number of a simulated process: higher than any process id of the real machine. */
const firstNumber = 2 ** 22

/** Error of work that can't end, because the machine has no further events. */
export class Stalled extends Error {}

/** A timer of the simulated machine. */
interface Timer {
  cancel(): void
}

/** The machine of the current run. */
class Machine {
  #queue = new EventQueue()
  #soon: (() => void)[] = []
  #random = new Random('machine')
  /** Virtual milliseconds since the machine's start, in whole thousandths. */
  elapsed = 0
  /** Steps of all processes so far. */
  steps = 0
  #marks = 0
  #lines: string[] = []
  #processes: Process[] = []

  start(seed: string): void {
    this.#processes = []
    this.#queue = new EventQueue()
    this.#soon = []
    this.#random = new Random(seed, 'machine')
    this.elapsed = 0
    this.steps = 0
    this.#marks = 0
    this.#lines = []
  }

  /** Returns a number greater than all earlier numbers; the numbers order events at the same time. */
  mark(): number {
    this.#marks += 1
    return this.#marks
  }

  /** Epoch milliseconds by the clock of the current process. */
  get now(): number {
    return beginning + Math.floor(this.elapsed) + (current.getStore()?.clockOffset ?? 0)
  }

  get random(): Random {
    return current.getStore()?.random ?? this.#random
  }

  get process(): Process | undefined {
    return current.getStore()
  }

  /** Assigns a number to a process. */
  numbered(process: Process): number {
    return firstNumber + this.#processes.push(process)
  }

  /** True if the process with this number runs; undefined if no process has the number. */
  isRunning(number: number): boolean | undefined {
    const process = this.#processes[number - firstNumber - 1]
    return process?.alive && !process.ended
  }

  /** Adds a line to the log by which runs are compared. */
  log(line: string): void {
    this.#lines.push(`${this.elapsed.toFixed(3)} ${line}`)
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  /** Runs work as a process. */
  as<T>(process: Process | undefined, work: () => T): T {
    return current.run(process, work)
  }

  /** Plans work in `ms` milliseconds for the current process. The work does not run if the process is dead by then. */
  after(ms: number, work: () => void): Event {
    const process = current.getStore()
    const at = this.elapsed + Math.max(0, Math.round(ms * 1000) / 1000)
    const event = this.#queue.plan(at, () => {
      if (process?.alive && process.busyUntil > this.elapsed) this.#queue.postpone(event, process.busyUntil)
      else this.#runAs(process, work)
    })
    return event
  }

  /** Plans work for the next turn of the event loop, before time passes. */
  soon(work: () => void): Timer {
    const process = current.getStore()
    let cancelled = false
    this.#soon.push(() => {
      if (!cancelled) this.#runAs(process, work)
    })
    return {
      cancel() {
        cancelled = true
      },
    }
  }

  #runAs(process: Process | undefined, work: () => void): void {
    if (process && (!process.alive || process.ended)) return
    try {
      current.run(process, work)
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }

  /** Starts work and lets time pass until it is done. Throws Stalled if no event is left that could finish the work. */
  async run<T>(work: () => Promise<T>, longest = Number.POSITIVE_INFINITY): Promise<T> {
    let ended = false
    const result = work().finally(() => {
      ended = true
    })
    result.catch(() => {})
    const end = this.elapsed + longest
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        try {
          if (ended) return resolve()
          if (!this.#turn(end)) return reject(new Stalled('nothing is left that could happen'))
          realImmediate(turn)
        } catch (error) {
          reject(error)
        }
      }
      realImmediate(turn)
    })
    return result
  }

  /** Runs one event. Returns false if no event comes before `end`. */
  #turn(end: number): boolean {
    // One turn of the event loop handles all arrivals of one moment.
    const soon = this.#queue.nextAt > this.elapsed ? this.#soon.shift() : undefined
    if (soon) {
      soon()
      return true
    }
    const event = this.#queue.next()
    if (!event || event.at > end) return false
    this.elapsed = Math.max(this.elapsed, event.at)
    event.run()
    return true
  }

  /** Resolves after `ms` milliseconds of virtual time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }
}

export const machine = new Machine()

/** Starts a stopwatch for milliseconds of real time. */
export const stopwatch = (): (() => number) => {
  const start = realNow()
  return () => realNow() - start
}
