import type { Client } from '../client/client.ts'
import type { Payment } from '../contract/index.ts'
import { ApiError } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'

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

/**
 * Throws unless this token is of the user whose account pays: to anybody else the service refuses the payment and shows
 * a history without it, whether or not it was made.
 */
export async function requirePayer({ body }: Intent, client: Client): Promise<void> {
  const { source_account_id: id } = body
  try {
    await client.call('accounts.get', { params: { id } })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new Error(
      `it is not in the history that this token reads, which may be another user's: account ${id} can't be read (${error.message})`,
      { cause: error },
    )
  }
}
