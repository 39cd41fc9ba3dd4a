import type { Clock } from '../clock.ts'
import type { WorldOptions } from '../worlds/world_options.ts'
import { StrayRequests } from './breaches.ts'
import { Tally } from './tally.ts'

interface Observed {
  readonly tally: Tally
  readonly strays: StrayRequests
}

/**
 * Observations of all worlds and, if the emulator has teams, of each owner's worlds, because a team must not see what
 * happened to others.
 */
export class Observations {
  /** Counts and findings of all worlds. */
  readonly all: Tally
  readonly #options: WorldOptions
  readonly #clock: Clock
  /** Observations by owner; an empty name means the administrator. */
  readonly #byOwner = new Map<string, Observed>()

  constructor(options: WorldOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.all = this.#newTally()
  }

  /** Observations of all worlds that have the same owner as this world. */
  of = (world: string): Observed => this.ofOwner(this.#options.owner?.(world) ?? null)

  /** Observations of all worlds of a team, or of the administrator if `owner` is null. */
  ofOwner(owner: string | null): Observed {
    const known = this.#byOwner.get(owner ?? '')
    if (known) return known
    const begun = { tally: this.#newTally(), strays: new StrayRequests() }
    this.#byOwner.set(owner ?? '', begun)
    return begun
  }

  /**
   * Adds what happened in a world to the tally of all worlds and, if the emulator has teams, to the tally of the
   * world's owner.
   */
  tally(world: string, add: (tally: Tally) => void): void {
    add(this.all)
    if (this.#options.owner) add(this.of(world).tally)
  }

  /** The worlds whose owner is allowed to learn what happens to the world of this name. */
  observers<World extends { readonly name: string }>(world: string, all: readonly World[]): readonly World[] {
    const { owner } = this.#options
    return owner === null ? all : all.filter(({ name }) => owner(name) === owner(world))
  }

  #newTally = (): Tally => new Tally(this.#clock.now(), this.#options)
}
