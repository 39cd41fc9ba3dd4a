/** Hands items on in the order they came in, to one reader. */
export class Queue<Item> implements AsyncIterable<Item> {
  readonly #capacity: number
  readonly #items: Item[] = []
  #wakeReader: (() => void) | undefined
  #waiting: (() => void)[] = []
  #ended = false

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Takes its place at once; resolves when no more than `capacity` items wait, or when nobody reads any more. */
  push(item: Item): Promise<void> {
    this.#items.push(item)
    this.#wakeReader?.()
    if (this.#items.length <= this.#capacity || this.#ended) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** The reader gets what is there, and then ends. */
  end(): void {
    this.#ended = true
    this.#wakeReader?.()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    while (true) {
      const item = this.#items.shift()
      if (item !== undefined) {
        if (this.#items.length <= this.#capacity) for (const resolve of this.#waiting.splice(0)) resolve()
        yield item
      } else if (this.#ended) return
      else await new Promise<void>((resolve) => (this.#wakeReader = resolve))
    }
  }
}
