import type { Clock } from './clock.ts'

/** Something with steps that fall due. What is due is read from tables; the scheduler only says when to look. */
export interface Work {
  /** When the earliest step is due, in epoch milliseconds, or null. */
  nextDue(): number | null
  /** Does a batch of what is due at `now`, the longest overdue first. */
  runDue(now: number): void
  /** Pending until what was done is committed; rejects if it is rolled back. Null if there is nothing to wait for. */
  readonly settled?: Promise<void> | null
  /** Resolves when what was begun has ended; only for work that goes on after `runDue`. */
  idle?(): Promise<void>
}

interface SchedulerOptions {
  readonly clock: Clock
  readonly onFault: (error: unknown) => void
}

interface Task {
  readonly work: Work
  /** Whether it runs as time passes, or only when the clock is advanced. */
  readonly automatic: boolean
  /** It does not run before this time after a fault, in epoch milliseconds. */
  pausedUntil: number
}

/** The first of some times; null if all are null. */
export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Longest delay of a timer, in milliseconds. */
const longestDelay = 2 ** 31 - 1

/** Pause before work is tried again after a fault (a full disk, for example), in milliseconds. */
const faultDelay = 1000

/** Runs work when it falls due: by a timer as time passes, and step by step when the clock is moved. */
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

  /** Adds work, which may have steps left by an earlier process. Work that is not automatic waits for `advance`. */
  add(work: Work, { automatic }: { automatic: boolean }): void {
    this.#tasks.push({ work, automatic, pausedUntil: 0 })
    if (automatic) this.wake(work.nextDue())
  }

  /** Sets the timer to `at`, unless it is null or the timer is set to an earlier time. */
  wake(at: number | null): void {
    if (this.#stopped || at === null || at >= this.#wakesAt) return
    clearTimeout(this.#timer)
    this.#wakesAt = at
    this.#timer = setTimeout(() => this.#run(), Math.min(this.#clock.until(at), longestDelay))
  }

  /** Moves the clock forward and does everything that falls due, each step at its own time. */
  advance(ms: number): Promise<void> {
    return this.advanceTo(() => this.#clock.now() + ms)
  }

  /** The same to a time, which is asked for when the moves before have ended. What `target` throws is the result. */
  advanceTo(target: () => number): Promise<void> {
    return this.#inTurn(target, (time) => this.#advance(time))
  }

  /**
   * Moves the clock to the next step that is due, and the next, until nothing is due any more or the next step is later
   * than `bound`, which is asked for when the moves before have ended. Resolves with the time of that step, or null.
   */
  advanceUntilIdle(bound: () => number): Promise<number | null> {
    return this.#inTurn(bound, (time) => this.#runUntil(time))
  }

  /** When the next step of all work is due; null if none is. */
  nextDue(): number | null {
    return earliest(this.#tasks.map(({ work }) => work.nextDue()))
  }

  /** Sets the timer anew: it was set by what the clock showed before. */
  resetTimer(): void {
    if (this.#stopped) return
    this.#wakesAt = Number.POSITIVE_INFINITY
    clearTimeout(this.#timer)
    this.#wakeForNext()
  }

  /** From now on nothing runs; a move of the clock under way ends at the time it has reached. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Runs what is due, and sets the timer to what is due next. */
  #run(): void {
    this.#wakesAt = Number.POSITIVE_INFINITY
    const now = this.#clock.now()
    for (const task of this.#tasks) {
      if (!task.automatic || task.pausedUntil > now) continue
      try {
        this.#runDue(task, now)
      } catch (error) {
        this.#pause(task, error)
      }
    }
    this.#wakeForNext()
  }

  /** What cannot be committed is due still. */
  #runDue(task: Task, now: number): void {
    task.work.runDue(now)
    task.work.settled?.catch((error) => this.#pause(task, error))
  }

  #pause(task: Task, error: unknown): void {
    this.#onFault(error)
    task.pausedUntil = this.#clock.now() + faultDelay
    this.wake(task.pausedUntil)
  }

  #wakeForNext(): void {
    for (const { work, automatic, pausedUntil } of this.#tasks) {
      const due = automatic ? work.nextDue() : null
      if (due !== null) this.wake(Math.max(due, pausedUntil))
    }
  }

  /**
   * Moves of the clock follow each other. The clock stands still between the steps of a move: what a step causes is due
   * at the time of that step, however long receivers take to answer, and belongs to the move. A target that is refused
   * does not stop the clock.
   */
  #inTurn<T>(target: () => number, move: (time: number) => Promise<T>): Promise<T> {
    const moved = this.#advancing.then(async () => {
      const time = target()
      this.#clock.hold()
      try {
        return await move(time)
      } finally {
        this.#clock.release()
        this.resetTimer()
      }
    })
    this.#advancing = moved.then(
      () => {},
      () => {},
    )
    return moved
  }

  async #advance(target: number): Promise<void> {
    await this.#runUntil(target)
    if (!this.#stopped) this.#clock.moveTo(target)
  }

  /** Does what is due up to `target`, each step at its own time; resolves with the time of the step after. */
  async #runUntil(target: number): Promise<number | null> {
    for (;;) {
      const next = await this.#next()
      if (this.#stopped || next === null || next > target) return next
      this.#clock.moveTo(next)
      const now = Math.max(next, this.#clock.now())
      for (const task of this.#tasks) this.#runDue(task, now)
    }
  }

  /** When the next step is due. What is under way is waited for, because it may make something due. */
  async #next(): Promise<number | null> {
    for (const { work } of this.#tasks) await work.idle?.()
    return this.#stopped ? null : this.nextDue()
  }
}
