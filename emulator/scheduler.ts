import type { Clock } from './clock.ts'

/** Something with steps that fall due. The tables behind it are the truth; the scheduler only says when to look. */
export interface Work {
  /** When the earliest step is due, in epoch milliseconds, or null. */
  nextDue(): number | null
  /** Does what is due at `now`, the longest overdue first, up to a batch. */
  runDue(now: number): void
  /** Pending until what was done is durable; rejects when it has been undone. Null when there is nothing to wait for. */
  readonly settled?: Promise<void> | null
  /** Resolves when what was begun has ended; only work that goes on after `runDue` has it. */
  idle?(): Promise<void>
}

interface SchedulerOptions {
  readonly clock: Clock
  readonly onFault: (error: unknown) => void
}

interface Task {
  readonly work: Work
  /** Whether it runs as time passes; if not, only when the clock is advanced. */
  readonly automatic: boolean
  /** After a fault it rests until this time, in epoch milliseconds. */
  restsUntil: number
}

/** Longest delay a timer takes. */
const longestDelay = 2 ** 31 - 1

/** After a fault (a full disk, say) the work is tried again, this much later. */
const faultDelay = 1000

/** Runs work when the clock says it is due: by a timer as time passes, and on the way when the clock is moved. */
export class Scheduler {
  readonly #clock: Clock
  readonly #onFault: (error: unknown) => void
  readonly #tasks: Task[] = []
  #timer: NodeJS.Timeout | undefined
  /** The time that the timer is set to. */
  #wakesAt = Number.POSITIVE_INFINITY
  #advancing: Promise<void> = Promise.resolve()
  #stopped = false

  constructor({ clock, onFault }: SchedulerOptions) {
    this.#clock = clock
    this.#onFault = onFault
  }

  /** Takes work on, with what an earlier process left of it. Work that is not automatic waits for `advance`. */
  add(work: Work, { automatic }: { automatic: boolean }): void {
    this.#tasks.push({ work, automatic, restsUntil: 0 })
    if (automatic) this.wake(work.nextDue())
  }

  /** To be told when something falls due, unless it is null, before anything that is known of. */
  wake(at: number | null): void {
    if (this.#stopped || at === null || at >= this.#wakesAt) return
    clearTimeout(this.#timer)
    this.#wakesAt = at
    this.#timer = setTimeout(() => this.#run(), Math.min(this.#clock.until(at), longestDelay))
  }

  /** Moves the clock forward, doing on the way everything that falls due, each step at its own time. */
  advance(ms: number): Promise<void> {
    const advanced = this.#advancing.then(() => this.#advance(this.#clock.now() + ms))
    this.#advancing = advanced.catch(() => {})
    return advanced
  }

  /** From now on nothing runs; a move of the clock that is under way ends where it has come to. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Runs what is due, and sets the timer to what is due next. */
  #run(): void {
    this.#wakesAt = Number.POSITIVE_INFINITY
    const now = this.#clock.now()
    for (const task of this.#tasks) {
      if (!task.automatic || task.restsUntil > now) continue
      try {
        task.work.runDue(now)
        task.work.settled?.catch((error) => this.#rest(task, error))
      } catch (error) {
        this.#rest(task, error)
      }
    }
    this.#wakeForNext()
  }

  #rest(task: Task, error: unknown): void {
    this.#onFault(error)
    task.restsUntil = this.#clock.now() + faultDelay
    this.wake(task.restsUntil)
  }

  #wakeForNext(): void {
    for (const { work, automatic, restsUntil } of this.#tasks) {
      const due = automatic ? work.nextDue() : null
      if (due !== null) this.wake(Math.max(due, restsUntil))
    }
  }

  async #advance(target: number): Promise<void> {
    for (let next = await this.#next(); next !== null && next <= target; next = await this.#next()) {
      if (this.#stopped) return
      this.#clock.moveTo(next)
      const now = Math.max(next, this.#clock.now())
      for (const { work } of this.#tasks) work.runDue(now)
    }
    if (this.#stopped) return
    this.#clock.moveTo(target)
    // The clock has moved: the timer was set by what it showed before.
    this.#wakesAt = Number.POSITIVE_INFINITY
    clearTimeout(this.#timer)
    this.#wakeForNext()
  }

  /** What is due next, once what is under way has ended: it may have made something due by then. */
  async #next(): Promise<number | null> {
    for (const { work } of this.#tasks) await work.idle?.()
    if (this.#stopped) return null
    const times = this.#tasks.map(({ work }) => work.nextDue()).filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }
}
