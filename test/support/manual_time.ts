import type { MachineTime } from '../../emulator/clock.ts'

interface Timer {
  readonly at: number
  readonly callback: () => void
}

/** A machine's time, which a test moves. */
export class ManualTime implements MachineTime {
  #now: number
  readonly #timers = new Set<Timer>()

  /** `start`: epoch milliseconds. */
  constructor(start: number) {
    this.#now = start
  }

  now = (): number => this.#now

  after = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.#now + ms, callback }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Number of timers that wait. */
  get waiting(): number {
    return this.#timers.size
  }

  /** Moves forward and calls every timer at its own time. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer)
      this.#now = timer.at
      timer.callback()
    }
    this.#now = end
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end)
    return due.toSorted((a, b) => a.at - b.at)[0]
  }
}
