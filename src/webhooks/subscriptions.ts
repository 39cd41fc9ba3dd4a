import type { Client } from '../client/client.ts'
import { namingScope } from '../commands/webhooks/scope.ts'
import type { WebhookSubscription } from '../contract/index.ts'

/** Fewer requests than pages of the service's own size would take. */
const largePage = 100

/** All subscriptions; holds one page in memory. */
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
