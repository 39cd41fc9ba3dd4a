/** A map that holds only the `limit` entries set last. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number

  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    for (const oldest of this.keys()) {
      if (this.size <= this.#limit) break
      this.delete(oldest)
    }
    return this
  }
}

/** A set that holds only the `limit` members added last. */
export class RecentSet<Member> extends Set<Member> {
  readonly #limit: number

  constructor(limit: number, members: readonly Member[] = []) {
    super()
    this.#limit = limit
    for (const member of members) this.add(member)
  }

  override add(member: Member): this {
    this.delete(member)
    super.add(member)
    for (const oldest of this) {
      if (this.size <= this.#limit) break
      this.delete(oldest)
    }
    return this
  }
}
