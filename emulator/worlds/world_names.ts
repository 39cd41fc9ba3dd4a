import { Refusal } from '../domain/refusal.ts'
import { seriesOf } from '../random.ts'
import type { EndedWorlds } from './ended_worlds.ts'

interface Taken {
  readonly isLive: (name: string) => boolean
  readonly ended: EndedWorlds
  /** If set, series do not depend on the order in which worlds are made. */
  readonly rngSeed: string | undefined
}

/** Chooses names of new worlds, and the series of their delivery ids. The default world has series 0. */
export class WorldNames {
  readonly #taken: Taken
  /** Highest number at the end of a generated name. */
  #made = 0
  /** Numbers skipped because callers chose names with them. */
  readonly #skipped = new Set<number>()
  #series = 0

  constructor(taken: Taken) {
    this.#taken = taken
  }

  /** Generates a name that no world has or had; `refuseTaken` refuses it from then on. */
  next(): string {
    const { isLive, ended } = this.#taken
    for (;;) {
      this.#made += 1
      const name = `w${this.#made}`
      if (!isLive(name) && !ended.named(name)) return name
      this.#skipped.add(this.#made)
    }
  }

  /** Throws a Refusal with 409 for the name of a live world, and for a generated name, which is used only once. */
  refuseTaken(name: string): void {
    if (this.#taken.isLive(name)) throw new Refusal(409, { message: `There is a world ${name} already` })
    const number = Number(/^w([1-9]\d*)$/.exec(name)?.[1])
    if (!(number <= this.#made) || this.#skipped.has(number)) return
    const why = 'requests to that world must not reach a new one. Choose another name.'
    throw new Refusal(409, { message: `The name ${name} was generated for another world, and ${why}` })
  }

  /** Chooses a series; `stream` seeds it if the emulator has a seed. */
  seriesFor(stream: string): number {
    if (this.#taken.rngSeed !== undefined) return seriesOf(stream)
    this.#series = (this.#series % 999) + 1
    return this.#series
  }

  /** Reserves the series of a world from an earlier process. */
  hasSeries(series: number): void {
    this.#series = Math.max(this.#series, series % 1000)
  }
}
