import type { Clock } from './clock.ts'

/** Something with steps that fall due. The tables behind it are the truth; the scheduler only says when to look. */
export interface Work {
  /** When the earliest step is due, in epoch milliseconds, or null. */
  nextDue(): number | null
  /** Does what is due at `now`, the longest overdue first, up to a batch. */
  runDue(now: number): void
  /** Pending until what was done is durable; rejects when it has been undone. Null when there is nothing to wait for. */
  readonly settled: Promise<void> | null
}

interface SchedulerOptions {
  readonly clock: Clock
  readonly work: Work
  /** False: nothing runs until the clock is advanced by hand. */
  readonly automatic: boolean
  readonly onFault: (error: unknown) => void
}

/** Longest delay a timer takes. */
const longestDelay = 2 ** 31 - 1

/** After a fault (a full disk, say) the work is tried again, this much later. */
const faultDelay = 1000

/** Runs work when the sandbox's clock says it is due. */
export class Scheduler {
  readonly #clock: Clock
  readonly #work: Work
  readonly #automatic: boolean
  readonly #onFault: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #closed = false

  constructor({ clock, work, automatic, onFault }: SchedulerOptions) {
    this.#clock = clock
    this.#work = work
    this.#automatic = automatic
    this.#onFault = onFault
  }

  /** Picks up what an earlier process left unfinished. */
  start(): void {
    this.wake(this.#work.nextDue())
  }

  /** A hint that a step is due at `at`. */
  wake(at: number | null): void {
    if (!this.#automatic || this.#closed || at === null || at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    const delay = Math.min(Math.max(0, at - this.#clock.now()), longestDelay)
    this.#timer = setTimeout(() => this.#run(), delay)
  }

  /** Moves the clock forward, doing on the way everything that falls due, each step at its own time. */
  advance(ms: number): void {
    const target = this.#clock.now() + ms
    for (let next = this.#work.nextDue(); next !== null && next <= target; next = this.#work.nextDue()) {
      this.#clock.moveTo(next)
      this.#work.runDue(Math.max(next, this.#clock.now()))
    }
    this.#clock.moveTo(target)
    this.#timerAt = Number.POSITIVE_INFINITY
    this.wake(this.#work.nextDue())
  }

  stop(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #run(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    try {
      this.#work.runDue(this.#clock.now())
      this.#work.settled?.catch((error) => this.#retry(error))
      this.wake(this.#work.nextDue())
    } catch (error) {
      this.#retry(error)
    }
  }

  #retry(error: unknown): void {
    this.#onFault(error)
    this.wake(this.#clock.now() + faultDelay)
  }
}
