import type { Clock } from '../clock.ts'
import type { Work } from '../scheduler.ts'

/** Use of a world. Times are the machine's. */
interface Use {
  readonly name: string
  /** Allowed idle time, in milliseconds; null: unlimited. */
  readonly ttl: number | null
  usedAt: number
  /** Number of control calls under way, such as waits and moves of the clock: a world with any is not idle. */
  busy: number
}

interface Options {
  readonly clock: Clock
  readonly all: () => readonly Readonly<Use>[]
  readonly end: (name: string) => void
}

/** Ends worlds that have been idle for longer than their `ttl`. */
export class IdleWorlds implements Work {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Keeps a world from expiring while `work` is under way; its idle time starts afterwards. */
  async during<T>(world: Use, work: () => T | Promise<T>): Promise<T> {
    world.busy += 1
    try {
      return await work()
    } finally {
      world.busy -= 1
      world.usedAt = this.#options.clock.now()
    }
  }

  nextDue(): number | null {
    const times = this.#ends().map(({ at }) => at)
    return times.length === 0 ? null : Math.min(...times)
  }

  runDue(now: number): void {
    for (const { name, at } of this.#ends()) if (at <= now) this.#options.end(name)
  }

  #ends(): { readonly name: string; readonly at: number }[] {
    return this.#options
      .all()
      .flatMap(({ name, ttl, usedAt, busy }) => (ttl === null || busy > 0 ? [] : [{ name, at: usedAt + ttl }]))
  }
}
