import type { EndpointId, Endpoints, Input, OutputOf } from '../contract/index.ts'

export interface ClientOptions {
  readonly baseUrl: string
  readonly token?: string | (() => Promise<string>)
  /** For one attempt, in milliseconds; 30,000 by default. */
  readonly timeout?: number
  /** Attempts after the first; 3 by default. */
  readonly retries?: number
  readonly userAgent?: string
  readonly signal?: AbortSignal
  /** Called with every attempt and answer, secrets redacted. */
  readonly trace?: (line: string) => void
  /** Called before a wait for another attempt (milliseconds). */
  readonly onRetry?: (retry: { readonly attempt: number; readonly delay: number; readonly reason: string }) => void
}

/** A success answer: the envelope's `data` with what else a caller may need. */
export interface Answer<Data> {
  readonly data: Data
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Client {
  /**
   * Calls an endpoint by id: `call('payments.get', { params: { id } })`.
   * Throws ApiError, NetworkError, OutcomeUnknownError or ContractError.
   */
  call<Id extends EndpointId>(id: Id, ...input: CallInput<Id>): Promise<OutputOf<Id>>
  /** The same with status and headers. */
  answer<Id extends EndpointId>(id: Id, ...input: CallInput<Id>): Promise<Answer<OutputOf<Id>>>
  close(): Promise<void>
}

/** An endpoint that takes nothing, or only optional things, is called without input. */
export type CallInput<Id extends EndpointId> =
  Record<never, never> extends Input<Endpoints[Id]> ? [input?: Input<Endpoints[Id]>] : [input: Input<Endpoints[Id]>]
