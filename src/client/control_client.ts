import type { WorldEvent } from '../contract/control/events.ts'
import { type ControlCallId, type ControlInputOf, type ControlListId, controlEndpoints } from '../contract/control.ts'
import { worldUrl } from '../contract/emulator_names.ts'
import { send } from './attempts.ts'
import type { ArgumentsOf, ClientOptions, Item } from './client.ts'
import { type ConnectionOptions, createConnection } from './connection.ts'
import { worldEvents } from './event_stream.ts'
import { type MessageParts, rowMessage } from './message.ts'
import { itemsOf, largestPage, pagesOf } from './paging.ts'
import type { ControlAnswerOf } from './received.ts'

/** A client of an emulator's control endpoints. */
export interface ControlClient {
  /** Base URL of the world that the client steers. */
  readonly baseUrl: string
  /** Throws the same errors as the service's client, except OutcomeUnknownError. */
  call<Id extends ControlCallId>(id: Id, ...input: ArgumentsOf<ControlInputOf<Id>>): Promise<ControlAnswerOf<Id>>
  /** The items of all pages, 1000 per page unless the query sets `per_page`. Holds one page in memory. */
  items<Id extends ControlListId>(
    id: Id,
    ...input: ArgumentsOf<ControlInputOf<Id>>
  ): AsyncGenerator<Item<ControlAnswerOf<Id>>, void, undefined>
  /** A client of another world of the emulator, with the same options. */
  of(world: string): Pick<ControlClient, 'call'>
  /**
   * Yields the events of the world from now until the world ends. Continues after a lost connection. Leaving the loop
   * early closes the connection.
   */
  events(listeners?: Pick<ClientOptions, 'onRetry'>): AsyncGenerator<WorldEvent, void, undefined>
  close(): Promise<void>
}

/** `token` is the control token, if the emulator requires one. */
export function createControlClient(options: ConnectionOptions): ControlClient {
  const connection = createConnection(options)
  const read = async (id: ControlCallId, input: MessageParts = {}, at = connection): Promise<unknown> =>
    (await send(rowMessage(controlEndpoints[id], input), at)).data
  return {
    baseUrl: `${connection.origin}${connection.prefix}`,
    call: async (id, ...[input]) => (await read(id, input as MessageParts)) as ControlAnswerOf<typeof id>,
    items(id, ...[input]) {
      const { query } = (input ?? {}) as MessageParts
      const each = { ...query, per_page: query?.per_page ?? largestPage }
      const page = async (number: number | undefined) =>
        (await read(id, { query: { ...each, page: number } })) as { readonly data: Item<ControlAnswerOf<typeof id>>[] }
      return itemsOf(pagesOf(page, undefined))
    },
    of(world) {
      const { pathname } = new URL(worldUrl(`${connection.origin}${connection.prefix}`, world))
      const other = { ...connection, prefix: pathname }
      return {
        call: async (id, ...[input]) => (await read(id, input as MessageParts, other)) as ControlAnswerOf<typeof id>,
      }
    },
    events: (listeners = {}) => worldEvents({ ...connection, ...listeners }),
    close: () => connection.close(),
  }
}
