import { type Findings, shownBreaches, type WorldBreach } from '../../src/contract/index.ts'

/** Maximum number of stray requests that are kept in memory. */
const kept = 1000

/**
 * Requests that did not name a world, or named a world that had ended. The sender of a stray request is unknown: it can
 * be any test whose world was live at the time.
 */
export class StrayRequests {
  #latest: WorldBreach[] = []
  /** Number of stray requests so far. */
  count = 0

  add(request: WorldBreach): void {
    this.count += 1
    this.#latest.push(request)
    if (this.#latest.length > kept) this.#latest = this.#latest.slice(-kept / 2)
  }

  /** Stray requests that came after the first `count`. */
  after(count: number): Findings<WorldBreach> {
    const missed = this.count - count
    return { count: missed, first: missed === 0 ? [] : this.#latest.slice(-missed).slice(0, shownBreaches) }
  }
}

/** Requests that broke the contract during the life of one world: requests to this world, and stray requests. */
export class WorldBreaches {
  readonly #strays: StrayRequests | null
  readonly #straysBefore: number
  readonly #own: Findings<WorldBreach> = { count: 0, first: [] }

  /** `strays`: null for the default world, which lives as long as the emulator. */
  constructor(strays: StrayRequests | null) {
    this.#strays = strays
    this.#straysBefore = strays?.count ?? 0
  }

  add(breaches: readonly WorldBreach[]): void {
    this.#own.count += breaches.length
    this.#own.first.push(...breaches.slice(0, shownBreaches - this.#own.first.length))
  }

  /** Breaches of requests to this world, then those of stray requests. */
  all(): Findings<WorldBreach> {
    const { count, first } = this.#own
    const strays = this.#strays?.after(this.#straysBefore)
    if (!strays) return { count, first }
    return { count: count + strays.count, first: [...first, ...strays.first].slice(0, shownBreaches) }
  }
}
