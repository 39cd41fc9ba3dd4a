import type { Payment, PaymentStatus } from '../contract/index.ts'
import { terminalStatuses } from '../contract/terminal_statuses.ts'

/** Payments whose status is remembered; more than a feed holds back at a time. */
const mostRemembered = 20_000

/** Payments whose end is waited for. */
const mostUnfinished = 1_000

/** What a feed has shown of payments, in bounded memory. */
export class Seen {
  readonly #statuses = new Map<string, PaymentStatus>()
  readonly #unfinished = new Set<string>()

  /** Whether this payment, or its status, is news; from now on it is not. */
  isNews({ id, status }: Pick<Payment, 'id' | 'status'>): boolean {
    const isNews = this.#statuses.get(id) !== status
    this.#statuses.delete(id)
    this.#statuses.set(id, status)
    this.#unfinished.delete(id)
    if (!terminalStatuses.some((end) => end === status)) this.#unfinished.add(id)
    keepNewest(this.#statuses, mostRemembered)
    keepNewest(this.#unfinished, mostUnfinished)
    return isNews
  }

  /** Some of those whose status can still change, without these: in turn, when there are many. */
  unfinished(most: number, without: ReadonlySet<string>): readonly string[] {
    const ids = [...this.#unfinished].filter((id) => !without.has(id)).slice(0, most)
    for (const id of ids) {
      this.#unfinished.delete(id)
      this.#unfinished.add(id)
    }
    return ids
  }

  forget(id: string): void {
    this.#unfinished.delete(id)
  }
}

function keepNewest(entries: Map<string, unknown> | Set<string>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return
    entries.delete(oldest)
  }
}
