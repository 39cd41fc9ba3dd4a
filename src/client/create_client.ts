import type { EndpointId, ListId } from '../contract/endpoints.ts'
import { ContractError, InvalidRequestError } from '../errors/service_errors.ts'
import { send, sendRaw } from './attempts.ts'
import { normalUrl } from './base_url.ts'
import type { Answer, Client, ClientOptions, RawRequest, StrictClient } from './client.ts'
import { createConnection } from './connection.ts'
import { isObject } from './decode.ts'
import { endpointMessage, type MessageParts, rawMessage } from './message.ts'
import { itemsOf, pagesOf } from './paging.ts'

interface Page {
  readonly data: readonly unknown[]
}

type ListParts = MessageParts & { readonly atOnce?: number }

const optionNames: Readonly<Record<keyof ClientOptions, true>> = {
  baseUrl: true,
  token: true,
  renew: true,
  timeout: true,
  proxy: true,
  fetch: true,
  retries: true,
  keyLife: true,
  strict: true,
  world: true,
  calm: true,
  userAgent: true,
  signal: true,
  trace: true,
  onRetry: true,
  beforeChange: true,
  onAnswer: true,
  onToken: true,
  onChange: true,
  delay: true,
}

/**
 * Creates a client of one service for one user. The client opens a connection for each request; `close` ends all
 * connections.
 */
export function createClient(options: ClientOptions & { readonly strict: true }): StrictClient
export function createClient(options: ClientOptions): Client
export function createClient(options: ClientOptions): Client {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name))
  if (unknown !== undefined) {
    const known = Object.keys(optionNames).join(', ')
    throw new InvalidRequestError(`A client has no option ${unknown}. The options are ${known}.`)
  }
  const answerListeners = new Listeners(options.onAnswer)
  const changeListeners = new Listeners(options.beforeChange)
  const tokenListeners = new Listeners(options.onToken)
  const connection = createConnection({
    ...options,
    onAnswer(head) {
      for (const { call } of answerListeners.all) call(head)
    },
    async beforeChange(request) {
      for (const { call } of changeListeners.all) await call(request)
    },
    async onToken(token) {
      for (const { call } of tokenListeners.all) await call(token)
    },
  })

  const answer = async (id: EndpointId, input: MessageParts = {}): Promise<Answer<unknown>> => {
    const message = endpointMessage(id, input)
    const answer = await send(message, connection)
    if (message.method === 'GET') requireSameId(input.params?.id, answer.data)
    return answer
  }

  const pages = (id: ListId, { query, atOnce: most }: ListParts = {}): AsyncGenerator<Page, void, undefined> => {
    let remaining: string | undefined
    const read = async (page: number | undefined) => {
      const { data, headers } = await answer(id, { query: { ...query, page } })
      remaining = headers['x-ratelimit-remaining']
      return data as Page
    }
    const admitted = () => (remaining === undefined ? Number.POSITIVE_INFINITY : Number(remaining))
    return pagesOf(read, query?.page as number | undefined, most === undefined ? undefined : { most, admitted })
  }

  const client = {
    baseUrl: normalUrl(options.baseUrl),
    answer,
    pages,
    call: async (id: EndpointId, input?: MessageParts) => (await answer(id, input)).data,
    request: async (request: RawRequest) => send(rawMessage(request), connection),
    raw: async (request: RawRequest) => sendRaw(rawMessage(request), connection),
    items: (id: ListId, input?: ListParts) => itemsOf(pages(id, input)),
    onAnswer: answerListeners.add,
    beforeChange: changeListeners.add,
    onToken: tokenListeners.add,
    with: (changes: Partial<ClientOptions>) => createClient(changedOptions(options, changes)),
    close: () => connection.close(),
  } satisfies Record<keyof Client, unknown>
  // The endpoint table gives each call its types, and decode.ts makes the answers fit these types. The cast saves the
  // compiler a comparison of `client` with `Client`, which would take seconds.
  return client as unknown as Client
}

/** The listener of an option, and listeners added later. */
class Listeners<Listener> {
  readonly all = new Set<{ readonly call: Listener }>()

  constructor(own: Listener | undefined) {
    if (own !== undefined) this.add(own)
  }

  /** Returns a function that removes the listener. */
  readonly add = (call: Listener): (() => void) => {
    const added = { call }
    this.all.add(added)
    return () => void this.all.delete(added)
  }
}

/** Throws if the id of the record is not the requested id. Accepts a record without an id. */
function requireSameId(requested: unknown, data: unknown): void {
  const received = isObject(data) ? data.id : undefined
  if (requested === undefined || !received) return
  if (String(received).toLowerCase() === String(requested).toLowerCase()) return
  throw new ContractError(
    `${requested} was requested, but the service answered with ${String(received).slice(0, 100)}.`,
  )
}

/**
 * Options of the client that `with` returns. A changed base URL drops the world. The old signal and the new signal both
 * end the calls.
 */
function changedOptions(options: ClientOptions, changes: Partial<ClientOptions>): ClientOptions {
  const { signal: one } = options
  const { signal: other } = changes
  return {
    ...options,
    ...(changes.baseUrl !== undefined && { world: undefined }),
    ...changes,
    ...(one && other && { signal: AbortSignal.any([one, other]) }),
  }
}
