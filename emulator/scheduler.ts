import type { Clock } from './clock.ts'

/** Something with steps that fall due. The tables behind it are the truth; the scheduler only says when to look. */
export interface Work {
  /** When the earliest step is due, in epoch milliseconds, or null. */
  nextDue(): number | null
  /** Does what is due at `now`, the longest overdue first, up to a batch. */
  runDue(now: number): void
  /** Pending until what was done is durable; rejects when it has been undone. Null when there is nothing to wait for. */
  readonly settled: Promise<void> | null
  /** Resolves when what was begun has ended; only work that goes on after `runDue` has it. */
  idle?(): Promise<void>
}

interface SchedulerOptions {
  readonly clock: Clock
  readonly onFault: (error: unknown) => void
}

/** Longest delay a timer takes. */
const longestDelay = 2 ** 31 - 1

/** After a fault (a full disk, say) the work is tried again, this much later. */
const faultDelay = 1000

/** Runs work when the sandbox's clock says it is due: by timers as time passes, and on the way when it is moved. */
export class Scheduler {
  readonly #clock: Clock
  readonly #onFault: (error: unknown) => void
  readonly #alarms: Alarm[] = []
  readonly #works: Work[] = []
  #advancing: Promise<void> = Promise.resolve()

  constructor({ clock, onFault }: SchedulerOptions) {
    this.#clock = clock
    this.#onFault = onFault
  }

  /**
   * Takes work on, with what an earlier process left of it. Returns the hint that a step is due at some time.
   * Work that is not automatic runs only when the clock is advanced.
   */
  add(work: Work, { automatic }: { automatic: boolean }): (at: number | null) => void {
    this.#works.push(work)
    if (!automatic) return () => {}
    const alarm = new Alarm(work, { clock: this.#clock, onFault: this.#onFault })
    this.#alarms.push(alarm)
    alarm.set(work.nextDue())
    return (at) => alarm.set(at)
  }

  /** Moves the clock forward, doing on the way everything that falls due, each step at its own time. */
  advance(ms: number): Promise<void> {
    const advanced = this.#advancing.then(() => this.#advance(this.#clock.now() + ms))
    this.#advancing = advanced.catch(() => {})
    return advanced
  }

  stop(): void {
    for (const alarm of this.#alarms) alarm.close()
  }

  async #advance(target: number): Promise<void> {
    for (let next = await this.#next(); next !== null && next <= target; next = await this.#next()) {
      this.#clock.moveTo(next)
      const now = Math.max(next, this.#clock.now())
      for (const work of this.#works) work.runDue(now)
    }
    this.#clock.moveTo(target)
    for (const alarm of this.#alarms) alarm.reset()
  }

  /** What is due next, once what is under way has ended: it may have made something due by then. */
  async #next(): Promise<number | null> {
    for (const work of this.#works) await work.idle?.()
    const times = this.#works.map((work) => work.nextDue()).filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }
}

/** One timer for one work, set to the earliest time it was told of. */
class Alarm {
  readonly #work: Work
  readonly #options: SchedulerOptions
  #timer: NodeJS.Timeout | undefined
  #at = Number.POSITIVE_INFINITY
  #closed = false

  constructor(work: Work, options: SchedulerOptions) {
    this.#work = work
    this.#options = options
  }

  set(at: number | null): void {
    if (this.#closed || at === null || at >= this.#at) return
    clearTimeout(this.#timer)
    this.#at = at
    const delay = Math.min(this.#options.clock.until(at), longestDelay)
    this.#timer = setTimeout(() => this.#ring(), delay)
  }

  /** The clock has moved: what was told is no longer when it was. */
  reset(): void {
    this.#at = Number.POSITIVE_INFINITY
    this.set(this.#work.nextDue())
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #ring(): void {
    this.#at = Number.POSITIVE_INFINITY
    try {
      this.#work.runDue(this.#options.clock.now())
      this.#work.settled?.catch((error) => this.#retry(error))
      this.set(this.#work.nextDue())
    } catch (error) {
      this.#retry(error)
    }
  }

  #retry(error: unknown): void {
    const { clock, onFault } = this.#options
    onFault(error)
    this.set(clock.now() + faultDelay)
  }
}
