import type { Client } from '../client/client.ts'
import type { WebhookSubscription } from '../client/received.ts'
import { ApiError, isServiceAnswer } from '../errors/service_errors.ts'

/** Number of items per page: larger than the service's default, for fewer requests. */
const largePage = 100

/** Yields all subscriptions; holds one page in memory. */
export async function* subscriptionsOf(
  client: Client,
  perPage = largePage,
): AsyncGenerator<WebhookSubscription, void, undefined> {
  try {
    yield* client.items('webhooks.list', { query: { per_page: perPage } })
  } catch (error) {
    throw namingScope(error)
  }
}

/** Adds the missing scope to the message of a 403, because some services omit it. */
export async function needingScope<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw namingScope(error)
  }
}

function namingScope(error: unknown): unknown {
  if (!isServiceAnswer(error, 403)) return error
  const { status, errors, requestId, retryable, fromService } = error
  const message = `${error.message.replace(/\.$/, '')}. Webhooks need a token with the scope manage-webhooks.`
  return new ApiError({ status, message, errors, requestId, retryable, fromService })
}
