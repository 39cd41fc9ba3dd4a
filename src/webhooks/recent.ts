/** The last so many of those added. */
export class Recent {
  readonly #members: Set<string>
  readonly #size: number

  constructor(size: number, members: readonly string[] = []) {
    this.#size = size
    this.#members = new Set(members)
  }

  has(member: string): boolean {
    return this.#members.has(member)
  }

  /** Returns whether it is new. */
  add(member: string): boolean {
    const isNew = !this.#members.delete(member)
    this.#members.add(member)
    if (this.#members.size > this.#size) {
      for (const oldest of this.#members) {
        this.#members.delete(oldest)
        break
      }
    }
    return isNew
  }

  delete(member: string): void {
    this.#members.delete(member)
  }

  /** The newest `count`, oldest first. */
  last(count: number): string[] {
    return [...this.#members].slice(-count)
  }
}
