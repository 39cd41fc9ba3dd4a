import type { Client } from '../../../client/client.ts'
import type { Intent } from '../../../journal/intent.ts'
import type { Journal } from '../../../journal/journal.ts'

/**
 * Intents in doubt whose repetition was refused: only the history tells whether the first request made a payment, and
 * it is gone through once for all of them.
 */
export class Suspects {
  readonly #byKey = new Map<string, { readonly id: string; readonly refusal: string }>()

  add({ id, idempotency_key }: Intent, refusal: string): void {
    this.#byKey.set(idempotency_key, { id, refusal })
  }

  has({ idempotency_key }: Intent): boolean {
    return this.#byKey.has(idempotency_key)
  }

  get none(): boolean {
    return this.#byKey.size === 0
  }

  /** Writes down what became of them. When it throws, those that were not found stay in doubt. */
  async clear(client: Client, journal: Journal): Promise<void> {
    const missing = new Map(this.#byKey)
    for await (const payment of client.items('payments.history', { query: { per_page: 1000 } })) {
      const suspect = missing.get(payment.idempotency_key)
      if (suspect) journal.markSettled(suspect.id, payment)
      missing.delete(payment.idempotency_key)
    }
    for (const { id, refusal } of missing.values()) journal.markAbsent(id, refusal)
  }
}
