import { type ErrorStatus, errorStatuses, isUnfinished } from '../contract/errors.ts'
import { ApiError, ContractError, type ErrorDetails } from '../errors/service_errors.ts'
import type { Answer } from './client.ts'
import { decode, isObject, isTooDeep, nounOf } from './decode.ts'
import type { Reply } from './exchange.ts'
import type { Expected, Message } from './message.ts'
import { onePage } from './paging.ts'
import { requestedDelay } from './retry.ts'

/**
 * `definite`: the service itself refused the request and did nothing. `said`: the message in an answer with a status of
 * 400 or above.
 */
export type Verdict =
  | { readonly answer: Answer<unknown> }
  | { readonly error: ApiError | ContractError; readonly definite: boolean; readonly said?: string | undefined }

/** Facts of a request that affect the judgement of its answer. */
export interface JudgedRequest
  extends Pick<Message, 'repeatable' | 'movesMoney' | 'refusals' | 'changes' | 'expected'> {
  /** URL of the request, and base of a relative redirect. */
  readonly url: string
  /** True: faulty data is a ContractError. */
  readonly strict: boolean
}

/** Parses an answer. Tolerates errors with details of any shape, or without details, message or data. */
export function readEnvelope(reply: Reply, request: JudgedRequest): Verdict {
  const { status, headers } = reply
  const broken = (message: string): Verdict => ({
    error: new ContractError(message, { doubtful: isDoubtfulWrite(request) }),
    definite: false,
  })
  if (status >= 300 && status < 400) return broken(redirect(reply, request.url))
  if (request.expected?.file !== undefined && status < 400) {
    if (!reply.bytes) return broken(`The server answered ${status} with ${formOf(reply.text)} instead of a file.`)
    return { answer: { data: reply.bytes, status, message: '', headers } }
  }
  const envelope = parse(reply.text)
  if (status >= 400) return rejection(reply, envelope, request)
  if (envelope === undefined) return broken(`The server answered ${status} with ${formOf(reply.text)} instead of JSON.`)
  if (envelope.success === false || !('data' in envelope)) {
    const fault = envelope.success === false ? 'but its body says success: false' : 'without data in its body'
    return broken(`The service answered ${status}, ${fault}.`)
  }
  const { expected, strict } = request
  const answer = (data: unknown): Verdict => ({
    answer: { data, status, message: textOf(envelope.message) ?? '', headers },
  })
  if (expected === undefined) return answer(envelope.data)
  const sent = expected.list === 'open' && Array.isArray(envelope.data) ? onePage(envelope.data) : envelope.data
  if (expected.isNeeded && !isOfKind(sent, expected)) {
    return broken(`The service answered ${status}, but its data is ${nounOf(sent)}.`)
  }
  const { data, fault } = decode(sent, expected.shape)
  if (strict && fault !== null) {
    return broken(`The service answered ${status} with data that does not match the interface: ${fault}.`)
  }
  return answer(data)
}

function rejection(reply: Reply, envelope: Envelope | undefined, request: JudgedRequest): Verdict {
  const { status } = reply
  const unfinished = isUnfinished(status)
  const { movesMoney, refusals } = request
  const isRefusal = movesMoney ? refusals.includes(status) : !unfinished
  // A gateway's error, such as `{"message": "Forbidden"}`, says nothing about the service behind it. Source: interface,
  // "Errors".
  const fromService = envelope?.success === false && typeof envelope.message === 'string' && envelope.data === null
  const definite = isRefusal && fromService
  const page = `The server answered ${status} with ${formOf(reply.text)} instead of JSON.`
  const meaning = errorStatuses[status as ErrorStatus] as string | undefined
  const unexplained = `The ${fromService ? 'service' : 'server'} answered ${status}${meaning === undefined ? '' : `: ${meaning}`}.`
  const said = textOf(envelope?.message)
  const errors = envelope?.errors
  const error = new ApiError({
    status,
    message: said ?? (envelope === undefined ? page : unexplained),
    errors:
      typeof errors === 'string' || (typeof errors === 'object' && errors !== null) ? (errors as ErrorDetails) : null,
    requestId: reply.headers['x-request-id'],
    retryable: status === 429 || (unfinished && request.repeatable),
    retryAfter: requestedDelay(status, reply.headers),
    doubtful: !definite && isDoubtfulWrite(request),
    fromService,
  })
  return { error, definite, said }
}

/**
 * True for a write that payctl does not repeat: after a failure, the write may have been carried out. Not for payments:
 * their calls throw OutcomeUnknownError.
 */
const isDoubtfulWrite = ({ changes, repeatable }: JudgedRequest): boolean => changes && !repeatable

function redirect(reply: Reply, url: string): string {
  const location = reply.headers.location
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url).origin : 'nowhere'
  return `The server answered ${reply.status}, a redirect to ${target}. payctl does not follow redirects with a token: check the base URL.`
}

function isOfKind(data: unknown, { shape, list }: Expected): boolean {
  if (shape.type === 'array') return Array.isArray(data)
  return isObject(data) && (list === undefined || Array.isArray(data.data))
}

type Envelope = Readonly<Record<string, unknown>>

/** Parses a JSON object; undefined for other text. */
function parse(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && !isTooDeep(value) ? value : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function formOf(text: string): string {
  if (text.trim() === '') return 'an empty body'
  return text.trimStart().startsWith('<') ? 'a web page' : 'something else'
}
