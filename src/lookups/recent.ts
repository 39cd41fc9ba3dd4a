/** Remembers the latest results by key, so that a key that comes again soon is not worked on again. */
export class Recent<Result> {
  readonly #results = new Map<string, Promise<Result>>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = this.#results.get(key) ?? work()
    // A map lists its keys in the order they were set in: the first is the one not asked for the longest.
    this.#results.delete(key)
    this.#results.set(key, result)
    if (this.#results.size > this.#most) this.#results.delete(this.#results.keys().next().value ?? '')
    return result
  }
}
