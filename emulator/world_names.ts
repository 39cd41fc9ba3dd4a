import { Refusal } from './domain/refusal.ts'
import type { EndedWorlds } from './ended_worlds.ts'
import { seriesOf } from './random.ts'

interface Taken {
  readonly isLive: (name: string) => boolean
  readonly ended: EndedWorlds
  /** With a seed the order in which worlds are made does not count. */
  readonly rngSeed: string | undefined
}

/** The names of new worlds, and the series of their deliveries' ids. The default world has series 0. */
export class WorldNames {
  readonly #taken: Taken
  /** Generated names end with a number up to this. */
  #made = 0
  /** Numbers left out because callers had chosen these names. */
  readonly #skipped = new Set<number>()
  #series = 0

  constructor(taken: Taken) {
    this.#taken = taken
  }

  /** Generates a name that no world has or had, and that `refuseTaken` refuses from now on. */
  next(): string {
    const { isLive, ended } = this.#taken
    for (;;) {
      this.#made += 1
      const name = `w${this.#made}`
      if (!isLive(name) && !ended.named(name)) return name
      this.#skipped.add(this.#made)
    }
  }

  /** Throws a Refusal with 409 for the name of a live world, and for a generated name: it is given once. */
  refuseTaken(name: string): void {
    if (this.#taken.isLive(name)) throw new Refusal(409, { message: `There is a world ${name} already` })
    const number = Number(/^w([1-9]\d*)$/.exec(name)?.[1])
    if (!(number <= this.#made) || this.#skipped.has(number)) return
    const why = 'requests to that world must not reach a new one. Choose another name.'
    throw new Refusal(409, { message: `The name ${name} was generated for another world, and ${why}` })
  }

  /** `stream` seeds the draws of the world, if there is a seed. */
  seriesFor(stream: string): number {
    if (this.#taken.rngSeed !== undefined) return seriesOf(stream)
    this.#series = (this.#series % 999) + 1
    return this.#series
  }

  /** A world of an earlier process has this series: new ones get others. */
  hasSeries(series: number): void {
    this.#series = Math.max(this.#series, series % 1000)
  }
}
