import type { Client } from '../../client/client.ts'
import type { Payment } from '../../contract/index.ts'
import type { Intent } from '../../journal/intent.ts'

/**
 * The payment that an intent's request made. Reads the history to its end: the interface does not say how it is
 * ordered, and a payment that is missed would be taken for one that was never made.
 */
export async function findByKey({ idempotency_key }: Intent, client: Client): Promise<Payment | undefined> {
  for await (const payment of client.items('payments.history', { query: { per_page: 1000 } })) {
    if (payment.idempotency_key === idempotency_key) return payment
  }
  return undefined
}
