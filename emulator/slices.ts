import { monotonicClock, nextTurn } from '../src/real_time.ts'

/** Maximum part of a turn of the event loop that long work takes, in milliseconds of real time. */
const slice = 10

/** Work in steps. Other work may run between two steps. */
export type Steps<T> = Generator<void, T, void>

/** Divides long work into slices, so that requests to other worlds are answered in between. */
export class Slices {
  #began = monotonicClock()

  /** True if the work must pause now. */
  get isOver(): boolean {
    return monotonicClock() - this.#began >= slice
  }

  /** Resolves in a later turn of the event loop, when the next slice begins. */
  async pause(): Promise<void> {
    await nextTurn()
    this.#began = monotonicClock()
  }
}

/** Runs all steps in slices. Only for work whose data no other work can change or read meanwhile. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const slices = new Slices()
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
