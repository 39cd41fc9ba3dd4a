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

const optionNames: Readonly<Record<keyof ClientOptions, true>> = {
  baseUrl: true,
  token: true,
  renew: true,
  timeout: true,
  proxy: true,
  retries: true,
  strict: true,
  world: true,
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

/** Creates a client of one service for one user. It opens connections when needed and holds them until `close`. */
export function createClient(options: ClientOptions & { readonly strict: true }): StrictClient
export function createClient(options: ClientOptions): Client
export function createClient(options: ClientOptions): Client {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name))
  if (unknown !== undefined) {
    const known = Object.keys(optionNames).join(', ')
    throw new InvalidRequestError(`A client has no option ${unknown}. It has ${known}.`)
  }
  const listeners = new Set<NonNullable<ClientOptions['onAnswer']>>()
  const checks = new Set<NonNullable<ClientOptions['beforeChange']>>()
  const tokenChecks = new Set<NonNullable<ClientOptions['onToken']>>()
  const connection = createConnection({
    ...options,
    async onToken(token) {
      await options.onToken?.(token)
      for (const check of tokenChecks) await check(token)
    },
    onAnswer(head) {
      options.onAnswer?.(head)
      for (const listener of listeners) listener(head)
    },
    async beforeChange(request) {
      await options.beforeChange?.(request)
      for (const check of checks) await check(request)
    },
  })

  const answer = async (id: EndpointId, input: MessageParts = {}): Promise<Answer<unknown>> => {
    const message = endpointMessage(id, input)
    const answer = await send(message, connection)
    if (message.method === 'GET') requireAsked(input.params?.id, answer.data)
    return answer
  }

  const pages = (id: ListId, { query }: MessageParts = {}): AsyncGenerator<Page, void, undefined> => {
    const read = async (page: number | undefined) => (await answer(id, { query: { ...query, page } })).data as Page
    return pagesOf(read, query?.page as number | undefined)
  }

  const client = {
    baseUrl: normalUrl(options.baseUrl),
    answer,
    pages,
    call: async (id: EndpointId, input?: MessageParts) => (await answer(id, input)).data,
    request: async (request: RawRequest) => send(rawMessage(request), connection),
    raw: async (request: RawRequest) => sendRaw(rawMessage(request), connection),
    items: (id: ListId, input?: MessageParts) => itemsOf(pages(id, input)),
    onAnswer(listener: NonNullable<ClientOptions['onAnswer']>) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    beforeChange(listener: NonNullable<ClientOptions['beforeChange']>) {
      checks.add(listener)
      return () => checks.delete(listener)
    },
    onToken(listener: NonNullable<ClientOptions['onToken']>) {
      tokenChecks.add(listener)
      return () => tokenChecks.delete(listener)
    },
    with: (changes: Partial<ClientOptions>) =>
      createClient({
        ...options,
        ...(changes.baseUrl !== undefined && { world: undefined }),
        ...changes,
        ...eitherSignal(options, changes),
      }),
    close: () => connection.close(),
  } satisfies Record<keyof Client, unknown>
  // The table gives each call its types, and decode.ts makes them true. Comparing both sides costs the compiler seconds.
  return client as unknown as Client
}

/** Throws if the record has another id than the requested one. A record without an id is accepted. */
function requireAsked(asked: unknown, data: unknown): void {
  const told = isObject(data) ? data.id : undefined
  if (asked === undefined || !told || String(told).toLowerCase() === String(asked).toLowerCase()) return
  throw new ContractError(`The service was asked for ${asked}, and answered with ${String(told).slice(0, 100)}.`)
}

function eitherSignal(
  { signal: one }: ClientOptions,
  { signal: other }: Partial<ClientOptions>,
): Partial<ClientOptions> {
  return one && other ? { signal: AbortSignal.any([one, other]) } : {}
}
