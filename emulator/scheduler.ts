import type { Clock } from './clock.ts'
import { Slices } from './slices.ts'

/** Work with steps that fall due. The work finds due steps in its tables; the scheduler only decides when to check. */
export interface Work {
  /** Time of the earliest step, in epoch milliseconds; null: none. */
  nextDue(): number | null
  /** Runs a batch of the steps that are due at `now`; the step that is longest overdue comes first. */
  runDue(now: number): void
  /**
   * A promise that is pending until the steps are committed, and rejects if they are rolled back. Null if there is
   * nothing to wait for.
   */
  readonly settled?: Promise<void> | null
  /**
   * Resolves when all work that has begun has ended; needed only for work that continues after `runDue`. Rejects with an
   * error since the last call, such as a full disk: the steps are still due.
   */
  idle?(): Promise<void>
  /**
   * True while steps are under way, or wait for the end of a pause after an error: they may be due now, although
   * `nextDue` does not say so.
   */
  readonly isUnfinished?: boolean
}

interface Task {
  readonly work: Work
  /** True: runs as time passes; false: only when the clock is advanced. */
  readonly automatic: boolean
  /** Cancels the timer that ends the pause after an error; null: the task is not paused. */
  resume: (() => void) | null
}

/** The earliest of several times; null if all are null. */
export function earliest(times: readonly (number | null)[]): number | null {
  let first: number | null = null
  for (const time of times) if (time !== null && (first === null || time < first)) first = time
  return first
}

/** Longest delay of a timer, in milliseconds. */
const longestDelay = 2 ** 31 - 1

/** Pause before work is retried after an error such as a full disk, in milliseconds of the machine's time. */
const faultDelay = 1000

interface SchedulerOptions {
  readonly clock: Clock
  readonly onFault: (error: unknown) => void
  /** Called before a long move of the clock pauses to let other work run. */
  readonly onPause?: () => void
}

/** Runs work when it falls due: by a timer as time passes, and step by step when the clock is moved. */
export class Scheduler {
  readonly #clock: Clock
  readonly #onFault: (error: unknown) => void
  readonly #onPause: () => void
  readonly #tasks: Task[] = []
  #cancelTimer = (): void => {}
  /** Time that the timer is set to, in epoch milliseconds; infinite: the timer is not set. */
  #wakesAt = Number.POSITIVE_INFINITY
  #advancing: Promise<void> = Promise.resolve()
  #stopped = false

  constructor({ clock, onFault, onPause = () => {} }: SchedulerOptions) {
    this.#clock = clock
    this.#onFault = onFault
    this.#onPause = onPause
  }

  /** Adds work, which may have steps left by an earlier process. Work that is not automatic waits for `advance`. */
  add(work: Work, { automatic }: { automatic: boolean }): void {
    this.#tasks.push({ work, automatic, resume: null })
    if (automatic) this.wake(work.nextDue())
  }

  /** Sets the timer to `at`, unless `at` is null or not earlier than the time to which the timer is already set. */
  wake(at: number | null): void {
    if (this.#stopped || at === null || at >= this.#wakesAt) return
    this.#cancelTimer()
    this.#wakesAt = at
    this.#cancelTimer = this.#clock.after(Math.min(this.#clock.until(at), longestDelay), () => this.#run())
  }

  /** Moves the clock forward and runs all steps that fall due, each at its own time. */
  advance(ms: number): Promise<void> {
    return this.advanceTo(() => this.#clock.now() + ms)
  }

  /**
   * Waits for earlier moves to end, then moves the clock to the time that `target` returns. Rejects with the error of
   * `target`.
   */
  advanceTo(target: () => number): Promise<void> {
    return this.#inTurn(target, (time) => this.#advance(time))
  }

  /**
   * Waits for earlier moves to end, then moves the clock from step to step until no step is due, but not beyond the
   * time that `bound` returns. Resolves with the time of the next step, which is later than this bound, or with null if
   * there is none.
   */
  advanceUntilIdle(bound: () => number): Promise<number | null> {
    return this.#inTurn(bound, (time) => this.#runUntil(time))
  }

  /**
   * Time at which steps must be looked for if the world is closed now: now, if steps are under way or will be retried
   * after an error; null: never.
   */
  get wakesAt(): number | null {
    if (this.#tasks.some(({ resume, work }) => resume !== null || work.isUnfinished)) return this.#clock.now()
    return this.#wakesAt === Number.POSITIVE_INFINITY ? null : this.#wakesAt
  }

  /** Time of the earliest step of all work; null: none. */
  nextDue(): number | null {
    return earliest(this.#tasks.map(({ work }) => work.nextDue()))
  }

  /** Sets the timer again after the clock has changed. */
  resetTimer(): void {
    if (this.#stopped) return
    this.#wakesAt = Number.POSITIVE_INFINITY
    this.#cancelTimer()
    this.#wakeForNext()
  }

  /** Stops all work; a move of the clock under way ends at the time that it has reached. */
  stop(): void {
    this.#stopped = true
    this.#cancelTimer()
    for (const { resume } of this.#tasks) resume?.()
  }

  /** Runs the steps that are due, and sets the timer to the next step. */
  #run(): void {
    this.#wakesAt = Number.POSITIVE_INFINITY
    const now = this.#clock.now()
    for (const task of this.#tasks) {
      if (!task.automatic || task.resume !== null) continue
      try {
        this.#runDue(task, now)
      } catch (error) {
        this.#pause(task, error)
      }
    }
    this.#wakeForNext()
  }

  /** Steps that can't be committed stay due; `onUndone` is called for them. */
  #runDue(task: Task, now: number, onUndone: (error: unknown) => void = () => {}): void {
    task.work.runDue(now)
    task.work.settled?.catch((error) => {
      this.#pause(task, error)
      onUndone(error)
    })
  }

  #pause(task: Task, error: unknown): void {
    this.#onFault(error)
    if (this.#stopped) return
    task.resume?.()
    task.resume = this.#clock.after(faultDelay, () => {
      task.resume = null
      this.#run()
    })
  }

  #wakeForNext(): void {
    for (const { work, automatic, resume } of this.#tasks) {
      if (automatic && resume === null) this.wake(work.nextDue())
    }
  }

  /**
   * Runs moves of the clock one after another. The clock stands still between the steps of a move. So everything that a
   * step causes is due at the time of that step and belongs to the move, however long receivers take to answer. A
   * refused target does not stop the clock.
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

  /**
   * Runs all steps that are due up to `target`, each at its own time. Resolves with the time of the next step, or with
   * null if there is none. Rejects if steps can't be committed: they stay due, and would be run again without end.
   */
  async #runUntil(target: number): Promise<number | null> {
    const slices = new Slices(this.#clock)
    const errors: unknown[] = []
    const onUndone = (error: unknown) => void errors.push(error)
    await this.#idle(() => {}) // errors of steps before this move do not end it
    for (;;) {
      if (slices.isOver) {
        this.#onPause()
        await slices.pause()
      }
      await this.#idle(onUndone)
      if (errors.length > 0) throw errors[0]
      const next = this.#stopped ? null : this.nextDue()
      if (this.#stopped || next === null || next > target) return next
      this.#clock.moveTo(next)
      const now = Math.max(next, this.#clock.now())
      for (const task of this.#tasks) this.#runDue(task, now, onUndone)
    }
  }

  /** Waits for work under way, which may make new steps due; `onUndone` is called for steps that can't be committed. */
  async #idle(onUndone: (error: unknown) => void): Promise<void> {
    for (const { work } of this.#tasks) await work.idle?.().catch(onUndone)
  }
}
