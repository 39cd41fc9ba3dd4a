import type { Intent } from '../journal/intent.ts'
import { type PaymentSession, requirePayer } from './payment_session.ts'
import { isPaymentOf } from './same_payment.ts'
import { movedAway } from './sender.ts'

/**
 * Intents in doubt whose repetition made no payment: only the history tells whether an earlier request did, and it is
 * gone through once for all of them. One that is not in it is settled only if its repetition was refused for certain.
 */
export class UnresolvedIntents {
  readonly #byKey = new Map<string, Unresolved>()

  /** `refusal`: the service's words, when the repetition was refused for certain. */
  add(intent: Intent, refusal: string | undefined): void {
    this.#byKey.set(intent.idempotency_key, { intent, refusal })
  }

  has({ idempotency_key }: Intent): boolean {
    return this.#byKey.has(idempotency_key)
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** Writes down what became of them. When it throws, those that were not found stay in doubt. */
  async resolve(session: PaymentSession): Promise<void> {
    const { client, journal, sender } = session
    const missing = new Map(this.#byKey)
    for await (const payment of client.items('payments.history', { query: { per_page: 1000 } })) {
      if (sender.hasMoved) throw movedAway()
      const unresolved = missing.get(payment.idempotency_key)
      if (unresolved && isPaymentOf(unresolved.intent, payment)) {
        journal.markSettled(unresolved.intent.id, payment)
      }
      missing.delete(payment.idempotency_key)
    }
    const refused = missing
      .values()
      .flatMap(({ intent, refusal }) => (refusal === undefined ? [] : [{ intent, refusal }]))
    const byAccount = Map.groupBy(refused, ({ intent }) => intent.body.source_account_id)
    for (const ofAccount of byAccount.values()) await markAbsent(ofAccount, session)
  }
}

interface Unresolved {
  readonly intent: Intent
  readonly refusal: string | undefined
}

interface Refused extends Unresolved {
  readonly refusal: string
}

/** All of one account. */
async function markAbsent(refused: readonly Refused[], { client, journal, sender }: PaymentSession): Promise<void> {
  const [first] = refused
  if (first) await requirePayer(first.intent, client)
  if (sender.hasMoved) throw movedAway()
  for (const { intent, refusal } of refused) journal.markAbsent(intent.id, refusal)
}
