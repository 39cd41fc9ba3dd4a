import type { EndpointId, InputOf, ListId, OutputOf } from '../contract/endpoints.ts'
import type { ApiError } from '../errors/service_errors.ts'
import type { AnswerOf } from './received.ts'

export interface ClientOptions {
  /**
   * http or https. A path in the URL becomes the prefix of every request's path. The URL must not contain credentials,
   * a query or a fragment.
   */
  readonly baseUrl: string
  /** Access token, or a function that returns it and is called before every attempt. */
  readonly token?: string | (() => Promise<string>) | undefined
  /**
   * Called when the service refused a token with 401. Return true if `token` now returns another token: the attempt is
   * then repeated, at most once per call. An error that this function throws ends the call.
   */
  readonly renew?: ((refused: string) => Promise<boolean>) | undefined
  /** Milliseconds for one attempt, from connecting to the last byte of the body; default: 30,000. */
  readonly timeout?: number | undefined
  /** URL of a proxy, http or https, with user name and password if needed. Default: none. */
  readonly proxy?: string | undefined
  /**
   * Function that sends the requests instead of this client's own connections, such as `world.fetch` of an emulator
   * without a port. The function must behave like `fetch`; `proxy` does not apply.
   */
  readonly fetch?: typeof fetch | undefined
  /** Maximum number of attempts after the first; default: 3. */
  readonly retries?: number | undefined
  /**
   * Milliseconds for which the service is trusted to remember an idempotency key; default: a day. A request with a key
   * that may have been carried out is repeated only until ten minutes before the end of this time: the machine may have
   * slept between two attempts, and a service that has forgotten the key would pay again.
   */
  readonly keyLife?: number | undefined
  /**
   * True: an answer with a missing field or a field of the wrong type is a ContractError, which names the field.
   * Default: the field becomes null or stays missing, and the rest of the answer can be used.
   */
  readonly strict?: boolean | undefined
  /**
   * Id of this client's emulator world, sent as `X-Emulator-World`: after that world has ended, the emulator refuses
   * the client's requests (410), even if a new world has the same URL.
   */
  readonly world?: string | undefined
  /** True: the chaos of an emulator does not affect this client's requests. Default: false. */
  readonly calm?: boolean | undefined
  /** Default: `payctl/<version>`. */
  readonly userAgent?: string | undefined
  /** Signal that ends all present and future calls. A call then throws the signal's reason, or OutcomeUnknownError. */
  readonly signal?: AbortSignal | undefined
  /** Called with lines about every attempt and answer; secrets are redacted. */
  readonly trace?: ((line: string) => void) | undefined
  /** Called before a wait (milliseconds) for another attempt; `attempt` is the number of the failed attempt, from 1. */
  readonly onRetry?:
    | ((retry: { readonly attempt: number; readonly delay: number; readonly reason: string }) => void)
    | undefined
  /**
   * Called before every attempt at a request that can change something. An error that this function throws ends the
   * call; nothing more is sent.
   */
  readonly beforeChange?: ((request: Change) => void | Promise<void>) | undefined
  /**
   * Called with the access token before every attempt that carries a token. An error that this function throws ends the
   * call; nothing more is sent.
   */
  readonly onToken?: ((token: string) => void | Promise<void>) | undefined
  /** Called with status and headers of every answer, refusals included. Header names are in lower case. */
  readonly onAnswer?: ((head: Pick<RawAnswer, 'status' | 'headers'>) => void) | undefined
  /**
   * Called when the service has carried out a change, or may have done so. Every request except a read or a check
   * counts as a change.
   */
  readonly onChange?: (() => void) | undefined
  /** Waits between attempts, in milliseconds; must reject when the signal aborts. Default: a timer. */
  readonly delay?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/** A request that can change something. */
export interface Change {
  readonly idempotencyKey: string | undefined
  /** True for the endpoint that makes payments. */
  readonly isPayment: boolean
}

/** A success answer. Header names are in lower case. */
export interface Answer<Data> {
  readonly data: Data
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request to any path of the service, for `request` and `raw`. */
export interface RawRequest {
  readonly method: string
  /** Path after the base URL, starting with `/`; may include a query. */
  readonly path: string
  /** Added to the path's own query; null and undefined are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Any JSON value. */
  readonly body?: unknown
}

/**
 * The answer to a raw request, unchanged except that a refusal hides the access token. Header names are in lower case.
 */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The error for a 4xx or 5xx, otherwise null. */
  readonly error: ApiError | null
}

interface Calls<Data extends { readonly [Id in EndpointId]: unknown }> {
  /** Normalized by `normalUrl`. */
  readonly baseUrl: string
  /**
   * Calls an endpoint by id: `call('payments.get', { params: { id } })`.
   * Throws ApiError, NetworkError, OutcomeUnknownError (only for endpoints that move money), ContractError or
   * InvalidRequestError.
   */
  call<Id extends EndpointId>(id: Id, ...input: CallInput<Id>): Promise<Data[Id]>
  /** Calls an endpoint like `call`, and also returns status and headers. */
  answer<Id extends EndpointId>(id: Id, ...input: CallInput<Id>): Promise<Answer<Data[Id]>>
  /**
   * Calls any path. After a failure, repeats a read, and repeats a write only if it has an idempotency key. A write
   * with a key may move money, so a lost answer to it is an OutcomeUnknownError.
   */
  request(request: RawRequest): Promise<Answer<unknown>>
  /**
   * Calls any path and returns every answer except a redirect unchanged. Throws NetworkError, OutcomeUnknownError,
   * InvalidRequestError, or ContractError for a redirect or an answer that is too big.
   */
  raw(request: RawRequest): Promise<RawAnswer>
  /**
   * The pages of a list, from `query.page` (default: the first page) to the last page. Yields at least one page, which
   * may be empty.
   */
  pages<Id extends ListId>(id: Id, input?: ListInput<Id>): AsyncGenerator<Data[Id], void, undefined>
  /** The items of all pages, each once. Holds as many pages in memory as are requested at the same time. */
  items<Id extends ListId>(id: Id, input?: ListInput<Id>): AsyncGenerator<Item<Data[Id]>, void, undefined>
  /**
   * Calls `listener` with the head of every answer, like the option `onAnswer`, until the returned function is called.
   */
  onAnswer(listener: NonNullable<ClientOptions['onAnswer']>): () => void
  /** Adds a listener like the option `beforeChange`. Returns a function that removes the listener. */
  beforeChange(listener: NonNullable<ClientOptions['beforeChange']>): () => void
  /** Adds a listener like the option `onToken`. Returns a function that removes the listener. */
  onToken(listener: NonNullable<ClientOptions['onToken']>): () => void
  /**
   * A new client with these options changed, and with its own connections. The old and the new signal both end the new
   * client's calls. A changed base URL drops `world`, because a world belongs to its base URL.
   */
  with(options: Partial<Omit<ClientOptions, 'strict'>>): Calls<Data>
  /** Drops all connections; calls in flight fail as if aborted. */
  close(): Promise<void>
}

/** A client that tolerates faults in answers; its types show which members may be missing. */
export type Client = Calls<{ readonly [Id in EndpointId]: AnswerOf<Id> }>

/** A client that throws ContractError for a faulty answer, so that its types are exact. */
export type StrictClient = Calls<{ readonly [Id in EndpointId]: OutputOf<Id> }>

/** Type of the items of a page. */
export type Item<List> = List extends { readonly data: readonly (infer One)[] } ? One : never

export type ItemOf<Id extends ListId> = Item<AnswerOf<Id>>

/** Input is optional for an endpoint without required input. */
export type CallInput<Id extends EndpointId> = ArgumentsOf<InputOf<Id>>

/**
 * Input of a list. `atOnce`: maximum number of pages requested at the same time, if the service says how many pages
 * there are; default: 1.
 */
export type ListInput<Id extends ListId> = NonNullable<CallInput<Id>[0]> & { readonly atOnce?: number }

export type ArgumentsOf<Input> =
  Record<never, never> extends Parts<Input> ? [input?: Parts<Input>] : [input: Parts<Input>]

/** Parts of a request; a part with only optional members may be omitted. */
type Parts<Input> = {
  readonly [P in keyof Input as Record<never, never> extends Input[P] ? P : never]?: Members<Input[P]>
} & {
  readonly [P in keyof Input as Record<never, never> extends Input[P] ? never : P]: Members<Input[P]>
}

/** An optional member may also be undefined. */
type Members<Part> = {
  readonly [K in keyof Part]: Record<never, never> extends Pick<Part, K> ? Part[K] | undefined : Part[K]
}
