import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorStatus } from './errors.ts'
import type { Scope } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'DELETE'

/**
 * One row of an endpoint table: plain data from which routes, client, OpenAPI and reference docs are derived.
 * Source: the "Endpoints" table of the service's interface.
 */
export interface Endpoint {
  readonly method: Method
  /** Path template; `{name}` stands for a member of `params`. */
  readonly path: string
  readonly summary: string
  /** Further information for callers, in Markdown; the generated documents show it. */
  readonly description?: string
  /** Required access: scopes, any one of which is enough, or `public`, or `control`. */
  readonly access: Access
  readonly params?: TObject
  readonly query?: TObject
  readonly headers?: TObject
  /**
   * The service's endpoints have an open object: unknown members are ignored. Control endpoints have a closed object.
   */
  readonly body?: TObject
  /** Media type and maximum number of bytes of a body that is a file. `body` then has one member, `file`: the bytes. */
  readonly upload?: { readonly type: string; readonly limit: number }
  readonly success: {
    readonly status: 200 | 201
    /** Template for `messageFor`. */
    readonly message: string
    readonly data: TSchema
    /** Media type of an answer that is a file or a stream. `data` of a file is its bytes, without an envelope. */
    readonly type?: string
    /** Headers of this answer, in addition to the headers of every answer. */
    readonly headers?: TObject
  }
  /** Error statuses of the endpoint, with the constant message, or null if the message varies. */
  readonly errors: Readonly<Partial<Record<ErrorStatus, string | null>>>
  /** A POST that changes nothing: it may be repeated, and a lost answer has no effect. */
  readonly checksOnly?: true
  /**
   * Name of the request header, one of `headers`, that makes a write idempotent. A request with a used value receives
   * the first answer, with `replayedHeader`, and the write is not done again. If an endpoint has no idempotency header,
   * its write must not be repeated.
   */
  readonly idempotentBy?: string
  /** Present if the endpoint moves money. */
  readonly movesMoney?: {
    /**
     * Statuses that prove that no money moved: the service returns these statuses before it makes a payment. After any
     * other answer except success the payment may have been made.
     */
    readonly refusals: readonly ErrorStatus[]
  }
  /**
   * Present if the endpoint answers with a list in numbered pages. `page`: a `Page`. `open`: the answer is a `Page`
   * too, but the interface does not show its form, and some services send the whole list as an array.
   */
  readonly list?: 'page' | 'open'
  /**
   * Set if the endpoint is about the emulator, or about worlds that the request names, not about the world in its URL.
   */
  readonly ofEmulator?: true
  /**
   * Set if the answer is about all worlds together: if the emulator has teams, only the administrator may call the
   * endpoint.
   */
  readonly ofAdmin?: true
  /** True if the answer is a stream of server-sent events, without an envelope; `success.data` describes one event. */
  readonly stream?: true
}

export type Access = { readonly scopes: readonly Scope[] } | 'public' | 'control'

export type Table = Readonly<Record<string, Endpoint>>

type Part = 'params' | 'query' | 'headers' | 'body'

/** Input of a call, keyed by part of the request: `{ params: { id } }`. */
export type Input<E extends Endpoint> = {
  [P in Part as E[P] extends TSchema ? P : never]: E[P] extends TSchema ? Static<E[P]> : never
}

/** Type of the `data` member of the endpoint's success envelope. */
export type Output<E extends Endpoint> = Static<E['success']['data']>

/**
 * Handlers: one synchronous function for each row. A missing function does not compile. A function that returns a
 * promise does not compile either, so no await can slip into a transaction.
 */
export type Handlers<T extends Table, Context> = {
  readonly [Id in keyof T]: (input: Input<T[Id]>, context: Context) => Output<T[Id]>
}

/** True for a query parameter whose value is JSON text in the URL. */
export const isInJson = (parameter: TSchema | undefined): boolean =>
  (parameter as { readonly 'x-json'?: true } | undefined)?.['x-json'] === true

/**
 * Message of a table row, completed for one request. `{Provider}` stands for the path parameter `provider`,
 * capitalised: if the parameter is `acme`, `{Provider} exchange rates` becomes `Acme exchange rates`.
 */
export const messageFor = (message: string, params: Readonly<Record<string, string>> = {}): string =>
  message.replace(parameter, (_, name: string) => {
    const value = params[name.toLowerCase()] ?? ''
    return value.charAt(0).toUpperCase() + value.slice(1)
  })

const parameter = /\{(\w+)\}/g

/** Pattern of a message with parameters; null for a constant message. */
export const messagePattern = (message: string): string | null =>
  parameter.test(message) ? `^${message.replace(parameter, '.+')}$` : null

/** Returns its argument: gives a row its precise type without registering anything. */
export const endpoint = <const E extends Endpoint>(row: E): E => row
