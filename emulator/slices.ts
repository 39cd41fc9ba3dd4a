import { nextTurn } from '../src/real_time.ts'
import type { Clock } from './clock.ts'

/** Maximum time that long work takes in one turn of the event loop, in milliseconds of the machine's time. */
const slice = 10

/** Work in steps. Other work can run between two steps. */
export type Steps<T> = Generator<void, T, void>

/** Divides long work into slices, so that requests to other worlds are answered in between. */
export class Slices {
  readonly #clock: Clock
  #began: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#began = clock.machineNow()
  }

  /** True if the work must pause now. */
  get isOver(): boolean {
    return this.#clock.machineNow() - this.#began >= slice
  }

  /** Resolves in a later turn of the event loop, when the next slice begins. */
  async pause(): Promise<void> {
    await nextTurn()
    this.#began = this.#clock.machineNow()
  }
}

/** Runs all steps in slices. Only for work whose data no other work can change or read meanwhile. */
export async function inSlices<T>(steps: Steps<T>, clock: Clock): Promise<T> {
  const slices = new Slices(clock)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (slices.isOver) await slices.pause()
  }
}

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
