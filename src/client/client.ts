import type { EndpointId, InputOf, ListId, OutputOf } from '../contract/endpoints.ts'
import type { ApiError } from '../errors/service_errors.ts'
import type { AnswerOf } from './received.ts'

export interface ClientOptions {
  /** http or https; a path is kept as a prefix of every request's. No credentials, query or fragment. */
  readonly baseUrl: string
  /** Access token, or a function that gives it; the function is called before every attempt. */
  readonly token?: string | (() => Promise<string>) | undefined
  /**
   * Called when the service refused a token with 401. Return true if `token` now gives another one: the attempt is then
   * repeated, once in a call. What it throws ends the call.
   */
  readonly renew?: ((refused: string) => Promise<boolean>) | undefined
  /** For one attempt, from connecting to the last byte of the body, in milliseconds; 30,000 by default. */
  readonly timeout?: number | undefined
  /** URL of a proxy, http or https, with user name and password if needed. None by default. */
  readonly proxy?: string | undefined
  /** Attempts after the first; 3 by default. */
  readonly retries?: number | undefined
  /**
   * Whether an answer with a field that is missing or of another type is a ContractError, which names it. By default the
   * field is null or missing, and the rest of the answer can be used.
   */
  readonly strict?: boolean | undefined
  /**
   * Id of the world of an emulator that this client is for, sent as `X-Emulator-World`: once that world has ended, the
   * emulator refuses the client's requests (410), also where a new world has its URL.
   */
  readonly world?: string | undefined
  /** `payctl/<version>` by default. */
  readonly userAgent?: string | undefined
  /** Ends all calls, under way or to come. A call then throws the signal's reason, or OutcomeUnknownError. */
  readonly signal?: AbortSignal | undefined
  /** Called with every attempt and answer, secrets redacted. */
  readonly trace?: ((line: string) => void) | undefined
  /** Called before a wait (milliseconds) for another attempt; `attempt` is the one that failed, the first is 1. */
  readonly onRetry?:
    | ((retry: { readonly attempt: number; readonly delay: number; readonly reason: string }) => void)
    | undefined
  /** Called before every attempt of a request that can change something. What it throws ends the call; nothing more is sent. */
  readonly beforeChange?: ((request: Change) => void | Promise<void>) | undefined
  /** Called with the access token before every attempt that carries one. What it throws ends the call; nothing more is sent. */
  readonly onToken?: ((token: string) => void | Promise<void>) | undefined
  /** Called with status and headers of every answer, refusals included. Header names are in lower case. */
  readonly onAnswer?: ((head: Pick<RawAnswer, 'status' | 'headers'>) => void) | undefined
  /** Called when the service has carried out a request other than a read or a check, or may have. */
  readonly onChange?: (() => void) | undefined
  /** Waits between attempts, in milliseconds; must reject when the signal aborts. A timer by default. */
  readonly delay?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/** A request that can change something. */
export interface Change {
  readonly idempotencyKey: string | undefined
  readonly movesMoney: boolean
}

/** A success answer. Header names are in lower case. */
export interface Answer<Data> {
  readonly data: Data
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request to any path of the service that answers with the envelope. */
export interface RawRequest {
  readonly method: string
  /** From the base URL on, starting with `/`; may carry a query. */
  readonly path: string
  /** Added to the path's own; null and undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Any JSON value. */
  readonly body?: unknown
}

/** The answer to a raw request, unchanged. Header names are in lower case. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The error that a 4xx or 5xx stands for, else null. */
  readonly error: ApiError | null
}

interface Calls<Data extends { readonly [Id in EndpointId]: unknown }> {
  /** As `normalUrl` spells it. */
  readonly baseUrl: string
  /**
   * Calls an endpoint by id: `call('payments.get', { params: { id } })`.
   * Throws ApiError, NetworkError, OutcomeUnknownError (where money moves), ContractError or InvalidRequestError.
   */
  call<Id extends EndpointId>(id: Id, ...input: CallInput<Id>): Promise<Data[Id]>
  /** The same with status and headers. */
  answer<Id extends EndpointId>(id: Id, ...input: CallInput<Id>): Promise<Answer<Data[Id]>>
  /**
   * Calls any path. A read is repeated like any other, a write only when it carries an idempotency key; a POST with
   * a key may move money, so a lost answer to it is an OutcomeUnknownError.
   */
  request(request: RawRequest): Promise<Answer<unknown>>
  /**
   * Calls any path and returns every answer but a redirect unchanged. Throws NetworkError,
   * OutcomeUnknownError, InvalidRequestError, or ContractError for a redirect or an answer that is too big.
   */
  raw(request: RawRequest): Promise<RawAnswer>
  /** The pages of a list, from `query.page` or the first to the last: at least one, possibly empty. */
  pages<Id extends ListId>(id: Id, ...input: CallInput<Id>): AsyncGenerator<Data[Id], void, undefined>
  /** The items of all pages. Holds one page in memory. */
  items<Id extends ListId>(id: Id, ...input: CallInput<Id>): AsyncGenerator<Item<Data[Id]>, void, undefined>
  /** Calls `listener` with the head of every answer, as the option `onAnswer` does, until the returned function is called. */
  onAnswer(listener: NonNullable<ClientOptions['onAnswer']>): () => void
  /** The same with the option `beforeChange`. */
  beforeChange(listener: NonNullable<ClientOptions['beforeChange']>): () => void
  /** The same with the option `onToken`. */
  onToken(listener: NonNullable<ClientOptions['onToken']>): () => void
  /**
   * A client with these options changed and its own connections. Either signal ends its calls. `world` belongs to the base
   * URL: another one comes without it.
   */
  with(options: Partial<Omit<ClientOptions, 'strict'>>): Calls<Data>
  /** Drops all connections; calls under way fail as if aborted. */
  close(): Promise<void>
}

/** A client that tolerates faults in answers; its types say what may be missing. */
export type Client = Calls<{ readonly [Id in EndpointId]: AnswerOf<Id> }>

/** A client that throws ContractError for an answer with a fault, so that its types are exact. */
export type StrictClient = Calls<{ readonly [Id in EndpointId]: OutputOf<Id> }>

/** Of a page. */
export type Item<List> = List extends { readonly data: readonly (infer One)[] } ? One : never

export type ItemOf<Id extends ListId> = Item<AnswerOf<Id>>

/** An endpoint that takes nothing, or only optional things, is called without input. */
export type CallInput<Id extends EndpointId> = Given<InputOf<Id>>

export type Given<Input> = Record<never, never> extends Parts<Input> ? [input?: Parts<Input>] : [input: Parts<Input>]

/** Parts of a request; a part with only optional members may be left out. */
type Parts<Input> = {
  readonly [P in keyof Input as Record<never, never> extends Input[P] ? P : never]?: Members<Input[P]>
} & {
  readonly [P in keyof Input as Record<never, never> extends Input[P] ? never : P]: Members<Input[P]>
}

/** An optional member may also be given as undefined. */
type Members<Part> = {
  readonly [K in keyof Part]: Record<never, never> extends Pick<Part, K> ? Part[K] | undefined : Part[K]
}
