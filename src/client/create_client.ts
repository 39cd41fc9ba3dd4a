import type { EndpointId, OutputOf } from '../contract/endpoints.ts'
import { converse, perform } from './attempts.ts'
import type { Answer, CallInput, Client, ClientOptions, ItemOf, ListId } from './client.ts'
import { createConnection } from './connection.ts'
import { endpointMessage, type MessageParts, rawMessage } from './message.ts'
import { itemsOf, pagesOf } from './paging.ts'

/** A client of one service as one user. Opens connections when needed and keeps them until `close`. */
export function createClient(options: ClientOptions): Client {
  const connection = createConnection(options)

  // The data is what the table says only as far as the service keeps to it: it is not validated.
  async function answer<Id extends EndpointId>(id: Id, ...[input]: CallInput<Id>): Promise<Answer<OutputOf<Id>>> {
    const message = endpointMessage(id, (input ?? {}) as MessageParts)
    return (await perform(message, connection)) as Answer<OutputOf<Id>>
  }

  function pages<Id extends ListId>(id: Id, ...[input]: CallInput<Id>): AsyncGenerator<OutputOf<Id>, void, undefined> {
    const { query } = (input ?? {}) as { readonly query?: { readonly page?: number } }
    const read = async (page: number | undefined) =>
      (await perform(endpointMessage(id, { query: { ...query, page } }), connection)).data as OutputOf<Id>
    return pagesOf(read, query?.page)
  }

  return {
    answer,
    pages,
    call: async (id, ...input) => (await answer(id, ...input)).data,
    request: async (request) => perform(rawMessage(request), connection),
    raw: async (request) => converse(rawMessage(request), connection),
    items: <Id extends ListId>(id: Id, ...input: CallInput<Id>) => itemsOf<ItemOf<Id>>(pages(id, ...input)),
    close: () => connection.close(),
  }
}
