import type { Intent } from '../journal/intent.ts'
import { requirePayer } from './find_by_key.ts'
import type { Desk } from './payment_session.ts'
import { differenceFrom } from './same_payment.ts'
import { movedAway } from './sender.ts'

/**
 * Intents in doubt whose repetition made no payment: only the history tells whether an earlier request did, and it is
 * gone through once for all of them. One that is not in it is settled only if its repetition was refused for certain.
 */
export class Suspects {
  readonly #byKey = new Map<string, Suspect>()

  /** `refusal`: the service's words, when the repetition was refused for certain. */
  add(intent: Intent, refusal: string | undefined): void {
    this.#byKey.set(intent.idempotency_key, { intent, refusal })
  }

  has({ idempotency_key }: Intent): boolean {
    return this.#byKey.has(idempotency_key)
  }

  get none(): boolean {
    return this.#byKey.size === 0
  }

  /** Writes down what became of them. When it throws, those that were not found stay in doubt. */
  async clear({ client, journal, sender }: Books): Promise<void> {
    const missing = new Map(this.#byKey)
    for await (const payment of client.items('payments.history', { query: { per_page: 1000 } })) {
      if (sender.hasMoved) throw movedAway()
      const suspect = missing.get(payment.idempotency_key)
      if (suspect && differenceFrom(suspect.intent, payment) === undefined) {
        journal.markSettled(suspect.intent.id, payment)
      }
      missing.delete(payment.idempotency_key)
    }
    const refused = missing
      .values()
      .flatMap(({ intent, refusal }) => (refusal === undefined ? [] : [{ intent, refusal }]))
    const byAccount = Map.groupBy(refused, ({ intent }) => intent.body.source_account_id)
    for (const suspects of byAccount.values()) await clearAbsent(suspects, { client, journal, sender })
  }
}

type Books = Pick<Desk, 'client' | 'journal' | 'sender'>

interface Suspect {
  readonly intent: Intent
  readonly refusal: string | undefined
}

interface Refused extends Suspect {
  readonly refusal: string
}

/** All of one account. */
async function clearAbsent(suspects: readonly Refused[], { client, journal, sender }: Books): Promise<void> {
  const [first] = suspects
  if (first) await requirePayer(first.intent, client)
  if (sender.hasMoved) throw movedAway()
  for (const { intent, refusal } of suspects) journal.markAbsent(intent.id, refusal)
}
