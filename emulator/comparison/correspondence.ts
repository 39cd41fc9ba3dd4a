/** Matches ids that differ between a world and its fork: UUIDs, ids of deliveries, and references of payments. */
const ids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\bwhd_\d{12,21}\b|\b\d{25}\b/gi

/** Returns a text with `{id}` in place of each id, and the ids. */
export function templateOf(text: string): { readonly text: string; readonly ids: readonly string[] } {
  const found: string[] = []
  const template = text.replace(ids, (id) => {
    found.push(id.toLowerCase())
    return '{id}'
  })
  return { text: template, ids: found }
}

/**
 * One-to-one correspondence between names in two worlds: each name corresponds to at most one name of the other world.
 */
export class Correspondence {
  readonly #there = new Map<string, string>()
  readonly #back = new Map<string, string>()

  /** `common`: names with the same meaning in both worlds. */
  constructor(common: Iterable<string>) {
    for (const name of common) this.#pair(name, name)
  }

  /** True if two names correspond. If neither name has a counterpart yet, makes them correspond. */
  holds(name: string, other: string): boolean {
    const [there, back] = [this.#there.get(name), this.#back.get(other)]
    if (there === undefined && back === undefined) {
      this.#pair(name, other)
      return true
    }
    return there === other && back === name
  }

  #pair(name: string, other: string): void {
    this.#there.set(name, other)
    this.#back.set(other, name)
  }
}
