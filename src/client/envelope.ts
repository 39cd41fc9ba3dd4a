import { type ErrorStatus, errorStatuses } from '../contract/errors.ts'
import type { Answer } from './client.ts'
import { ApiError, ContractError, type ErrorDetails } from './errors.ts'
import type { Reply } from './exchange.ts'
import { isOfKind, isTooDeep, type Kind } from './kind.ts'
import { onePage } from './paging.ts'
import { requestedDelay } from './retry.ts'

/** `definite`: the service itself said no, in its own words. */
export type Verdict =
  | { readonly answer: Answer<unknown> }
  | { readonly error: ApiError | ContractError; readonly definite: boolean }

interface Request {
  /** To resolve a redirect. */
  readonly url: string
  /** Whether it may be repeated. */
  readonly repeatable: boolean
  readonly kind: Kind | undefined
  /** Whether a list may come whole, as an array, where a page is expected. */
  readonly openList: boolean
}

/**
 * What an answer means. Tolerates what servers do differently: details of any shape, or no details, message or data on errors.
 */
export function readEnvelope(reply: Reply, { url, repeatable, kind, openList }: Request): Verdict {
  const { status, headers } = reply
  if (status >= 300 && status < 400) return { error: redirect(reply, url), definite: false }
  const envelope = parse(reply.text)
  if (status >= 400) return rejection(reply, envelope, repeatable)
  if (envelope === undefined) {
    const error = new ContractError(`The service answered ${status} with ${formOf(reply.text)} instead of JSON.`)
    return { error, definite: false }
  }
  if (envelope.success === false || !('data' in envelope)) {
    const fault = envelope.success === false ? 'but its body says success: false' : 'without data in its body'
    return { error: new ContractError(`The service answered ${status}, ${fault}.`), definite: false }
  }
  const data = openList && Array.isArray(envelope.data) ? onePage(envelope.data) : envelope.data
  if (kind && !isOfKind(data, kind)) {
    const error = new ContractError(`The service answered ${status} with ${nounOf(data)} for its data.`)
    return { error, definite: false }
  }
  return { answer: { data, status, message: textOf(envelope.message) ?? '', headers } }
}

function rejection(reply: Reply, envelope: Envelope | undefined, repeatable: boolean): Verdict {
  const { status } = reply
  const page = `The service answered ${status} with ${formOf(reply.text)} instead of JSON.`
  const error = new ApiError({
    status,
    message: envelope === undefined ? page : (textOf(envelope.message) ?? unexplained(status)),
    errors: detailsOf(envelope?.errors),
    requestId: reply.headers['x-request-id'],
    retryable: status === 429 || (status >= 500 && repeatable),
    retryAfter: requestedDelay(status, reply.headers),
  })
  const wellFormed = envelope !== undefined && (envelope.success === false || textOf(envelope.message) !== undefined)
  return { error, definite: status < 500 && wellFormed }
}

function redirect(reply: Reply, url: string): ContractError {
  const location = reply.headers.location
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url).origin : 'nowhere'
  return new ContractError(
    `The service answered ${reply.status}, a redirect to ${target}. payctl does not follow redirects with a token: check the base URL.`,
  )
}

type Envelope = Readonly<Record<string, unknown>>

/** The object that a text holds, or undefined when it holds none. */
function parse(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && !isTooDeep(value) ? (value as Envelope) : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const detailsOf = (value: unknown): ErrorDetails =>
  typeof value === 'string' || (typeof value === 'object' && value !== null) ? (value as ErrorDetails) : null

function unexplained(status: number): string {
  const meaning = errorStatuses[status as ErrorStatus] as string | undefined
  return meaning === undefined ? `The service answered ${status}.` : `The service answered ${status}: ${meaning}.`
}

function formOf(text: string): string {
  if (text.trim() === '') return 'an empty body'
  return text.trimStart().startsWith('<') ? 'a page' : 'something else'
}

function nounOf(data: unknown): string {
  if (data === null) return 'nothing'
  if (Array.isArray(data)) return 'a list'
  return typeof data === 'object' ? 'an object of another kind' : `a ${typeof data}`
}
