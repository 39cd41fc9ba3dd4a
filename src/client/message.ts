import { type Endpoint, isInJson } from '../contract/endpoint.ts'
import type { EndpointId } from '../contract/endpoints.ts'
import { idempotencyHeader } from '../contract/headers.ts'
import { wireTable } from '../contract/wire_table.ts'
import { InvalidRequestError } from '../errors/service_errors.ts'
import type { RawRequest } from './client.ts'
import type { Shape } from './decode.ts'
import { checkHeaders, connectionHeaders, type Headers, mergeHeaders } from './header.ts'

/** The request of a call, identical for all attempts. */
export interface Message {
  readonly method: string
  /** Path and query after the base URL. */
  readonly path: string
  readonly headers: Headers
  /** JSON text, or the bytes of a file. */
  readonly body: string | Uint8Array | undefined
  /** True if the request carries the access token. */
  readonly authenticated: boolean
  /** True if the request can safely be sent twice. */
  readonly repeatable: boolean
  readonly movesMoney: boolean
  /**
   * True for the endpoint that makes payments. `movesMoney` is also true for an unknown endpoint that may move money.
   */
  readonly isPayment: boolean
  /** For a payment: statuses that prove that no money moved. */
  readonly refusals: readonly number[]
  /** True if success means that the service has changed something. */
  readonly changes: boolean
  readonly idempotencyKey: string | undefined
  /** Undefined: any data is accepted. */
  readonly expected?: Expected
}

/** Expected data of an answer. */
export interface Expected {
  readonly shape: Shape
  readonly list: Endpoint['list']
  /**
   * True: data that does not have this shape is a failure. False for a write, because the write has already been
   * carried out.
   */
  readonly isNeeded: boolean
  /** Media type of an answer that is a file. */
  readonly file?: string | undefined
}

type Values = Readonly<Record<string, unknown>>

export interface MessageParts {
  readonly params?: Values
  readonly query?: Values
  readonly headers?: Headers
  readonly body?: unknown
}

/** Request to an endpoint of the service. */
export function endpointMessage(id: EndpointId, parts: MessageParts): Message {
  const row: Endpoint | undefined = wireTable[id]
  if (row === undefined) throw new InvalidRequestError(`Endpoint ${JSON.stringify(id)} does not exist.`)
  return rowMessage(row, parts)
}

/** Request to the endpoint that a row of a table describes. */
export function rowMessage(row: Endpoint, parts: MessageParts): Message {
  const reads = row.method === 'GET'
  return {
    ...composeRow(row, parts),
    method: row.method,
    authenticated: row.access !== 'public',
    repeatable: reads || row.checksOnly === true || row.idempotentBy !== undefined,
    movesMoney: row.movesMoney !== undefined,
    isPayment: row.movesMoney !== undefined,
    refusals: row.movesMoney?.refusals ?? [],
    changes: !reads && !row.checksOnly,
    expected: { shape: row.success.data as Shape, list: row.list, isNeeded: reads, file: row.success.type },
  }
}

function composeRow(row: Endpoint, parts: MessageParts) {
  const accept = row.success.type === undefined ? {} : { Accept: row.success.type }
  const { upload } = row
  const path = fill(row.path, parts.params ?? {})
  const query = queryOf(row, parts.query)
  if (!upload) return compose(path, { ...parts, query, headers: { ...accept, ...parts.headers } })
  const message = compose(path, { ...parts, query, body: undefined, headers: { 'Content-Type': upload.type } })
  return { ...message, body: (parts.body as { readonly file: Uint8Array }).file }
}

const queryOf = ({ query: schema }: Endpoint, query: Values = {}): Values =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const isText = value !== undefined && isInJson(schema?.properties[name])
      return [name, isText ? asJson(value) : value]
    }),
  )

/** A request to any path; it counts as a payment if it may make a payment. */
export function rawMessage(request: RawRequest): Message {
  const method = request.method.toUpperCase()
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT') {
    throw new InvalidRequestError(`${JSON.stringify(request.method)} is not an HTTP method that payctl supports.`)
  }
  if (!/^\/[\x21-\x7e]*$/.test(request.path) || request.path.includes('#')) {
    throw new InvalidRequestError('The path must start with / and have its special characters percent-encoded.')
  }
  const own = Object.keys(request.headers ?? {}).find((name) => connectionHeaders.has(name.toLowerCase()))
  if (own !== undefined) throw new InvalidRequestError(`payctl sets the header ${own} itself.`)
  const message = compose(request.path, request)
  const reads = method === 'GET' || method === 'HEAD'
  const keyed = message.idempotencyKey !== undefined
  // Compares the exact path, so that a payment never counts as a check.
  const [path] = request.path.split('?', 1)
  const isCheck = rows.some((row) => row.checksOnly && row.path === path)
  const changes = !reads && !isCheck
  // Accepts any spelling of the path, so that a payment never counts as a request of another kind.
  const payment = rows.find((row) => row.movesMoney && isPathOf(row, request.path))?.movesMoney
  return {
    ...message,
    method,
    authenticated: true,
    repeatable: reads || keyed,
    movesMoney: changes && (keyed || payment !== undefined),
    isPayment: method === 'POST' && payment !== undefined,
    refusals: payment?.refusals ?? anyRefusals,
    changes,
  }
}

const rows: readonly Endpoint[] = Object.values(wireTable)

/** True if a request's path, however spelt, leads to the endpoint. */
export const isPathOf = (row: Endpoint, path: string): boolean =>
  new RegExp(`^${row.path.replace(/\{\w+\}/g, '[^/]+')}$`, 'i').test(spelling(path))

/**
 * Statuses that refuse a request to an endpoint outside the table: invalid token, no permission, rate limit. A service
 * checks these conditions before it acts; other statuses may mean anything.
 */
const anyRefusals: readonly number[] = [401, 403, 429]

/** The path without query, redundant escapes, dots and slashes, as most services interpret it. */
function spelling(path: string): string {
  const { pathname } = new URL(`http://service${path}`)
  const plain = pathname.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

function compose(path: string, { query = {}, headers = {}, body }: MessageParts) {
  checkHeaders(headers)
  const text = body === undefined ? undefined : asJson(body)
  const merged = mergeHeaders(text === undefined ? {} : { 'Content-Type': 'application/json' }, headers)
  const key = Object.entries(merged).find(([name]) => name.toLowerCase() === idempotencyHeader.toLowerCase())
  return {
    path: withQuery(path, query),
    headers: merged,
    body: text,
    idempotencyKey: key?.[1],
  }
}

/** Throws InvalidRequestError for a value that JSON can't represent, such as a BigInt or a cycle. */
function asJson(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new InvalidRequestError("The body can't be written as JSON.", { cause })
  }
}

const fill = (template: string, params: Values): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name] ?? '')
    // An empty or dotted segment would select another endpoint.
    if (/^\.{0,2}$/.test(value)) throw new InvalidRequestError(`The path parameter ${name} is missing or not valid.`)
    return encodeURIComponent(value)
  })

function withQuery(path: string, query: Values): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  if (entries.length === 0) return path
  const text = new URLSearchParams(entries.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])))
  return `${path}${path.includes('?') ? '&' : '?'}${text}`
}
