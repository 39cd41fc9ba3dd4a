/** `reset` is the end of the window, in unix seconds. */
export interface Allowance {
  readonly limit: number
  readonly remaining: number
  readonly reset: number
  readonly exceeded: boolean
}

const windowMs = 60_000

/** Counts requests by key in fixed windows of one minute of the world's time. */
export class RateLimits {
  readonly #limit: number
  readonly #counts = new Map<string, number>()
  #window = 0

  /** `limit` in requests a minute. */
  constructor(limit: number) {
    this.#limit = limit
  }

  count(key: string, now: number): Allowance {
    const window = Math.floor(now / windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    const used = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, used)
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - used),
      reset: ((window + 1) * windowMs) / 1000,
      exceeded: used > this.#limit,
    }
  }
}
