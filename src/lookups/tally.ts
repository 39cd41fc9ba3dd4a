import type { Row } from '../commands/lookup/lookup.ts'

/** How many rows of each kind there were. */
export class Tally {
  total = 0
  notFound = 0
  invalid = 0
  readonly #noun: string

  constructor(noun: string) {
    this.#noun = noun
  }

  add({ status, reason }: Row): void {
    this.total += 1
    // A holder the service knows has no reason, whatever status it gives.
    if (reason === undefined) return
    if (status === 'invalid') this.invalid += 1
    else this.notFound += 1
  }

  get text(): string {
    const found = this.total - this.notFound - this.invalid
    const invalid = this.invalid > 0 ? `, ${this.invalid} invalid` : ''
    return `${this.total} ${this.#noun}${this.total === 1 ? '' : 's'}: ${found} found, ${this.notFound} not found${invalid}`
  }
}
