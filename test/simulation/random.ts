/** Random numbers that depend only on the given words. Streams with different words are independent. */
export class Random {
  readonly #state: Uint32Array

  constructor(...words: readonly (string | number)[]) {
    this.#state = digest(words.join('/'))
    for (let round = 0; round < 12; round += 1) this.#next()
  }

  /** Returns a number of at least 0 and less than 1. */
  fraction(): number {
    return this.#next() / 2 ** 32
  }

  /** Returns an integer between two bounds, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)] as T
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.#next() >>> 24))
  }

  /** sfc32. */
  #next(): number {
    const state = this.#state
    const [a = 0, b = 0, c = 0, counter = 0] = state
    const sum = (a + b + counter) >>> 0
    state[3] = counter + 1
    state[0] = b ^ (b >>> 9)
    state[1] = c + (c << 3)
    state[2] = ((c << 21) | (c >>> 11)) + sum
    return sum
  }
}

/** Four words of 32 bits (FNV-1a with four initial values). */
function digest(text: string): Uint32Array {
  const state = Uint32Array.of(0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 1)
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    for (let word = 0; word < 3; word += 1) state[word] = Math.imul((state[word] as number) ^ (code + word), 0x01000193)
  }
  return state
}
