/** Work that has a slot or waits for one. `team` is null for the administrator, and if the emulator has no teams. */
interface Turn {
  readonly team: string | null
  readonly begin: () => void
}

/**
 * Limits how much expensive work runs at the same time. Waiting work gets its slot in the order of arrival. A team has
 * at most one slot at a time, so that its work does not delay another team's work.
 */
export class Slots {
  readonly #most: number
  readonly #taken = new Set<Turn>()
  readonly #waiting: Turn[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Waits for a free slot; resolves with a function that frees it, or with null if the client has disconnected. */
  async take(team: string | null, gone?: AbortSignal): Promise<(() => void) | null> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = { team, begin: resolve }
    this.#waiting.push(own)
    this.#beginWaiting()
    await promise
    const leave = () => {
      this.#taken.delete(own)
      this.#beginWaiting()
    }
    if (!gone?.aborted) return leave
    leave()
    return null
  }

  #beginWaiting(): void {
    while (this.#taken.size < this.#most) {
      const teams = new Set([...this.#taken].map(({ team }) => team))
      const at = this.#waiting.findIndex(({ team }) => team === null || !teams.has(team))
      const [next] = at === -1 ? [] : this.#waiting.splice(at, 1)
      if (!next) return
      this.#taken.add(next)
      next.begin()
    }
  }
}
