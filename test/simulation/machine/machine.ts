import { AsyncLocalStorage } from 'node:async_hooks'
import { Random } from '../random.ts'
import { beginning } from '../script/script.ts'
import { type Event, EventQueue } from './event_queue.ts'

// The machine that everything runs on: virtual time, one thing at a time, and processes that can be killed.

/** Thrown by every effect of a process that is dead. */
export class Killed extends Error {}

/** A process of the simulated machine: a run of payctl, the emulator. What it does, asynchronously too, is known to be its. */
export class Process {
  readonly name: string
  readonly random: Random
  /** By which other processes know it. */
  readonly number = machine.numbered(this)
  alive = true
  /** Whether it has come to its end by itself: its timers are gone. */
  ended = false
  /** Whether each change of a file is a step, or of databases only. */
  filesAreSteps = false
  /** How far its clock is ahead of the machine's, in milliseconds. */
  clockOffset = 0
  /** Whether anything went wrong with it, or with what it talks to. */
  disturbed = false
  /** Statements and requests so far. */
  steps = 0
  /** Until when its disk has it wait, in virtual milliseconds: what happens meanwhile is handled together then. */
  busyUntil = 0
  /** How long a commit takes its disk, in milliseconds. */
  commitMs = (): number => 0
  /** What is to kill it within its next statement, and the share of what that writes which is in its files then. */
  dying: { readonly kill: () => void; readonly written: number } | undefined
  /** Called before each of them; what it throws comes of it. */
  onStep: (what: string) => void = () => {}
  /** Aborted by Ctrl-C. */
  readonly interruption = new AbortController()
  interruptedAt: number | undefined
  readonly #atDeath: (() => void)[] = []

  constructor(name: string, random: Random) {
    this.name = name
    this.random = random
  }

  /** Has something come with the death of the process: what the operating system does. */
  atDeath(end: () => void): void {
    this.#atDeath.push(end)
  }

  /** To be called before each effect. Throws Killed if the process is dead, or dies of it. */
  step(what: string): void {
    if (!this.alive) throw new Killed(`${this.name} is dead`)
    this.steps += 1
    machine.steps += 1
    this.onStep(what)
    if (!this.alive) throw new Killed(`${this.name} is dead`)
  }

  /** Ctrl-C: its event loop hears of it in the next turn. */
  interrupt(): void {
    this.interruptedAt ??= machine.elapsed
    machine.as(this, () => machine.soon(() => this.interruption.abort('SIGINT')))
  }

  /** Nothing that it does from now on has any effect. */
  kill(): void {
    if (!this.alive) return
    this.alive = false
    this.disturbed = true
    machine.log(`${this.name} is killed`)
    for (const end of this.#atDeath.splice(0)) end()
  }
}

/** Event loop of the machine that runs the simulation: a turn drains microtasks and `nextTick`. Kept before it is replaced. */
const realImmediate = setImmediate
const realNow = performance.now.bind(performance)

const current = new AsyncLocalStorage<Process | undefined>()

/** No process of the real machine has a higher number. */
const firstNumber = 2 ** 22

/** What is asked of a machine that stands still. */
export class Stalled extends Error {}

/** A timer of the simulated machine. */
interface Timer {
  cancel(): void
}

/** One at a time: what a run of a script goes on. */
class Machine {
  #queue = new EventQueue()
  #soon: (() => void)[] = []
  #random = new Random('machine')
  /** Milliseconds since it was started; whole thousandths. */
  elapsed = 0
  /** Of all processes so far. */
  steps = 0
  #lines: string[] = []
  #processes: Process[] = []

  start(seed: string): void {
    this.#processes = []
    this.#queue = new EventQueue()
    this.#soon = []
    this.#random = new Random(seed, 'machine')
    this.elapsed = 0
    this.steps = 0
    this.#lines = []
  }

  /** Epoch milliseconds, by the clock of the process that asks. */
  get now(): number {
    return beginning + Math.floor(this.elapsed) + (current.getStore()?.clockOffset ?? 0)
  }

  get random(): Random {
    return current.getStore()?.random ?? this.#random
  }

  get process(): Process | undefined {
    return current.getStore()
  }

  /** A number for a process. */
  numbered(process: Process): number {
    return firstNumber + this.#processes.push(process)
  }

  /** Whether a process with a number runs; undefined for a number that none has had. */
  isRunning(number: number): boolean | undefined {
    const process = this.#processes[number - firstNumber - 1]
    return process?.alive && !process.ended
  }

  /** Adds to what a run can be compared by. */
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

  /** Plans work in so many milliseconds, for the process that asks. A dead one does nothing. */
  after(ms: number, work: () => void): Event {
    const process = current.getStore()
    const at = this.elapsed + Math.max(0, Math.round(ms * 1000) / 1000)
    const event = this.#queue.plan(at, () => {
      if (process?.alive && process.busyUntil > this.elapsed) this.#queue.postpone(event, process.busyUntil)
      else this.#runAs(process, work)
    })
    return event
  }

  /** Plans work for the next turn of the event loop: before time goes on. */
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

  /** Lets time go on until the work is done, which is begun now. Throws Stalled if nothing is left that could end it. */
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

  /** Does one thing. False if there is nothing, or nothing before `end`. */
  #turn(end: number): boolean {
    // What arrives at one moment is one turn of the event loop.
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

  /** Resolves after milliseconds of virtual time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }
}

export const machine = new Machine()

/** Milliseconds of real time. */
export const stopwatch = (): (() => number) => {
  const start = realNow()
  return () => realNow() - start
}
