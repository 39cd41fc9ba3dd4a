import type { CallInput, Client } from '../../client/client.ts'
import { itemsOf, pagesOf } from '../../client/paging.ts'
import type { WebhookSubscription } from '../../contract/index.ts'
import { needingScope } from './scope.ts'

interface Slice {
  readonly data: readonly WebhookSubscription[]
  readonly current_page?: number
  readonly last_page?: number
  readonly next_page_url?: string | null
}

/**
 * All subscriptions. The interface leaves the list's shape open: a plain array is read, and so are pages, which are
 * asked for like those of the other lists.
 */
export const subscriptionsOf = (client: Client): AsyncGenerator<WebhookSubscription, void, undefined> =>
  itemsOf(pagesOf(async (page) => slice(await read(client, page)), undefined))

const read = (client: Client, page: number | undefined): Promise<unknown> => {
  const input = { query: { page } } as unknown as CallInput<'webhooks.list'>[0]
  return needingScope(client.call('webhooks.list', ...(page === undefined ? [] : [input])))
}

/** The client lets through nothing but the two. */
const slice = (data: unknown): Slice =>
  Array.isArray(data) ? { data, next_page_url: null, current_page: 1 } : (data as Slice)
