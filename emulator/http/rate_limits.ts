const windowMs = 60_000

/** Counts requests by key in fixed windows of one minute of the world's time. */
export class RateLimits {
  /** Requests per minute; null: no limit. */
  limit: number | null
  readonly #first: number | null
  readonly #counts = new Map<string, number>()
  #window = 0
  /** Window in which the limit counts as exhausted for every key, whatever the key's count. */
  #exhausted: number | null = null

  constructor(limit: number | null) {
    this.limit = limit
    this.#first = limit
  }

  /** True if the limit was changed since the world was opened. */
  get isSet(): boolean {
    return this.limit !== this.#first
  }

  /** Counts a request. `reset` is the end of the window, in Unix seconds. Null: no limit. */
  count(key: string, now: number): { limit: number; remaining: number; reset: number; exceeded: boolean } | null {
    const { limit } = this
    if (limit === null) return null
    const window = Math.floor(now / windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    const used = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, used)
    const exhausted = this.#exhausted === window
    return {
      limit,
      remaining: exhausted ? 0 : Math.max(0, limit - used),
      reset: ((window + 1) * windowMs) / 1000,
      exceeded: exhausted || used > limit,
    }
  }

  /** Exhausts the rest of this window for every key, or ends the exhaustion and resets all counts. */
  exhaust(exhausted: boolean, now: number): void {
    this.#exhausted = exhausted ? Math.floor(now / windowMs) : null
    if (!exhausted) this.#counts.clear()
  }

  /** `resetsAt` is the end of the window, in epoch milliseconds. */
  state(now: number): { limit: number | null; exhausted: boolean; resetsAt: number } {
    const window = Math.floor(now / windowMs)
    const { limit } = this
    return { limit, exhausted: limit !== null && this.#exhausted === window, resetsAt: (window + 1) * windowMs }
  }
}
