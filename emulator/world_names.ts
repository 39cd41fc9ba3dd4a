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
  #made = 0
  #series = 0

  constructor(taken: Taken) {
    this.#taken = taken
  }

  /** A name that no world has or had. */
  next(): string {
    const { isLive, ended } = this.#taken
    for (;;) {
      this.#made += 1
      const name = `w${this.#made}`
      if (!isLive(name) && !ended.has(name)) return name
    }
  }

  /** Throws a Refusal with 409 for the name of a world that lives, or that has ended. */
  refuseTaken(name: string): void {
    const { isLive, ended } = this.#taken
    if (isLive(name)) throw new Refusal(409, { message: `There is a world ${name} already` })
    if (!ended.has(name)) return
    throw new Refusal(409, { message: `There was a world ${name}; late requests to it must not reach another` })
  }

  seriesFor(name: string): number {
    if (this.#taken.rngSeed !== undefined) return seriesOf(name)
    this.#series = (this.#series % 999) + 1
    return this.#series
  }

  /** A world of an earlier process has this series: new ones get others. */
  hasSeries(series: number): void {
    this.#series = Math.max(this.#series, series % 1000)
  }
}
