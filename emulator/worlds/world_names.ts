import { Refusal } from '../domain/refusal.ts'
import { maxSeries, seriesOf } from '../random.ts'
import type { EndedWorlds } from './ended_worlds.ts'
import type { Shard } from './shard.ts'

interface Dependencies {
  readonly isLive: (name: string) => boolean
  /** True for the name of a world that has moved to another emulator. */
  readonly hasMoved: (name: string) => boolean
  readonly ended: EndedWorlds
  readonly shard: Shard
  /**
   * True if a series must not depend on the number of worlds made so far: the emulator has teams, or a seed for random
   * values.
   */
  readonly isSeeded: boolean
}

/** Chooses names for new worlds, and series for their delivery ids. The default world has series 0. */
export class WorldNames {
  readonly #deps: Dependencies
  /** Highest number at the end of any name generated so far. */
  #generated = 0
  /** Numbers that are skipped because callers have chosen names with them. */
  readonly #skipped = new Set<number>()
  #series = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Generates a name that no world has or ever had; from then on, `refuseTaken` refuses the name. */
  next(): string {
    const { isLive, hasMoved, ended, shard } = this.#deps
    for (;;) {
      this.#generated += 1
      const name = shard.fullName(`w${this.#generated}`)
      if (!isLive(name) && !hasMoved(name) && !ended.named(name)) return name
      this.#skipped.add(this.#generated)
    }
  }

  /**
   * Throws a Refusal with 409 for the name of a live world, and for a generated name, which no other world can have.
   */
  refuseTaken(name: string): void {
    if (this.#deps.isLive(name)) throw new Refusal(409, { message: `World ${name} already exists` })
    const number = Number(/(?:^|\.)w([1-9]\d*)$/.exec(name)?.[1])
    const isGenerated = number <= this.#generated && name === this.#deps.shard.fullName(`w${number}`)
    if (!isGenerated || this.#skipped.has(number)) return
    const why = 'requests to that world must not reach a new one. Choose another name.'
    throw new Refusal(409, { message: `The name ${name} was generated for another world, and ${why}` })
  }

  /** Chooses a series: if `isSeeded`, from `stream`; otherwise the next number. */
  seriesFor(stream: string): number {
    if (this.#deps.isSeeded) return seriesOf(stream)
    this.#series = (this.#series % maxSeries) + 1
    return this.#series
  }

  /** Reserves the series of a world from an earlier process. */
  hasSeries(series: number): void {
    this.#series = Math.max(this.#series, series)
  }
}
