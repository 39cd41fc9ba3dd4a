import { isUnfinished } from '../contract/errors.ts'
import {
  ApiError,
  ContractError,
  InvalidRequestError,
  NetworkError,
  OutcomeUnknownError,
} from '../errors/service_errors.ts'
import { monotonicClock } from '../real_time.ts'
import type { Answer, RawAnswer } from './client.ts'
import type { Connection } from './connection.ts'
import { type JudgedRequest, readEnvelope } from './envelope.ts'
import { exchange, type Loss, maximumAnswer, type Reply } from './exchange.ts'
import { bearer, mergeHeaders } from './header.ts'
import type { Message } from './message.ts'
import { backoff, mayBeForgotten, requestedDelay } from './retry.ts'
import { createTrace, hide, silent } from './trace.ts'

interface Success {
  readonly answer: Answer<unknown>
  readonly reply: Reply
}

/** A failed attempt. */
interface Failure {
  /** The answer, if any. */
  readonly reply?: Reply
  readonly error: unknown
  /** Reason for the failure, as a short phrase. */
  readonly reason: string
  /** True if the service may have carried out the request. */
  readonly doubtful: boolean
  /** True if another attempt may succeed. */
  readonly passing: boolean
  /** Milliseconds to wait before another attempt, as the service asked. */
  readonly wait?: number | undefined
  /** The access token that a 401 refused. */
  readonly refused?: string | undefined
}

/**
 * Sends a message until there is an answer or another attempt is useless. If an earlier attempt at a payment is in
 * doubt, only a success is conclusive: a refusal of a repetition (the key is in use, the balance is spent, the token
 * has expired) says nothing about the earlier attempt.
 */
export async function send(message: Message, connection: Connection): Promise<Answer<unknown>> {
  const outcome = await outcomeOf(message, connection)
  if ('answer' in outcome) return outcome.answer
  throw outcome.error
}

/**
 * Sends like `send`, but returns every answer except a redirect unchanged, including refusals and answers without an
 * envelope.
 */
export async function sendRaw(message: Message, connection: Connection): Promise<RawAnswer> {
  const outcome = await outcomeOf(message, connection)
  const { reply } = outcome
  if (reply === undefined || (reply.status >= 300 && reply.status < 400)) {
    throw 'error' in outcome ? outcome.error : new Error('The outcome has no reply.')
  }
  const error = 'error' in outcome && outcome.error instanceof ApiError ? outcome.error : null
  return { ...reply, error }
}

/**
 * Sends the request, repeats it if needed, and returns the result of the last attempt. Throws OutcomeUnknownError if
 * the last attempt failed and an earlier attempt at a payment is in doubt.
 */
async function outcomeOf(message: Message, connection: Connection): Promise<Success | Failure> {
  const doubts: string[] = []
  /** `obstacle`: clause that says why no other attempt was sent. */
  const unknown = (error: unknown, obstacle = ''): never => {
    const doubt = message.movesMoney ? doubts.at(-1) : undefined
    if (doubt === undefined) throw error
    throw new OutcomeUnknownError(message.idempotencyKey, `${doubt}${obstacle}`, error)
  }
  const onDoubt = (reason: string) => {
    doubts.push(reason)
    if (message.changes) connection.onChange?.()
  }
  const outcome = await repeat(message, connection, onDoubt).catch((error) => {
    if (connection.signal.aborted || !(error instanceof Error)) return unknown(error)
    const why = error.message.replace(/\.?( Nothing (more )?was sent)?\.$/, '')
    return unknown(error, `; the request was not repeated: ${why}`)
  })
  if ('answer' in outcome) {
    if (message.changes) connection.onChange?.()
    return outcome
  }
  return message.movesMoney && doubts.length > 0 ? unknown(outcome.error) : outcome
}

/**
 * Sends the request until an attempt succeeds or another attempt would be useless. Calls `onDoubt` for each failed
 * attempt that the service may have carried out.
 */
async function repeat(
  message: Message,
  connection: Connection,
  onDoubt: (reason: string) => void,
): Promise<Success | Failure> {
  const { retries, signal, delay, onRetry } = connection
  let firstDoubt: number | undefined
  const once = async () => {
    const start = Date.now()
    const outcome = await sendOnce(message, connection, firstDoubt)
    if ('error' in outcome && outcome.doubtful) {
      firstDoubt ??= start
      onDoubt(outcome.reason)
    }
    return outcome
  }
  let hasRenewed = false
  for (let number = 1; ; number += 1) {
    let outcome = await once()
    if (!hasRenewed && (await renewToken(outcome, message, connection))) {
      hasRenewed = true
      outcome = await once()
    }
    if ('answer' in outcome) return outcome
    if (!outcome.passing || !message.repeatable || number > retries) return outcome
    const wait = Math.round(outcome.wait ?? backoff(number))
    onRetry?.({ attempt: number, delay: wait, reason: outcome.reason })
    await delay(wait, signal)
  }
}

/**
 * Renews the token after a 401 if the request may be sent again; returns true if there is a new token. The service's
 * own 401 means that the service did nothing, so any request may be repeated; any other 401 is as doubtful as a 500.
 */
async function renewToken(outcome: Success | Failure, message: Message, { renew }: Connection): Promise<boolean> {
  if (!renew || 'answer' in outcome || outcome.refused === undefined) return false
  const { refused } = outcome
  return (message.repeatable || !outcome.doubtful) && (await notAnswered(() => renew(refused)))
}

/** Runs the checks that can prevent the request; returns the token to send. */
async function checkedToken(message: Message, connection: Connection): Promise<string | undefined> {
  const token = message.authenticated ? await connection.token() : undefined
  if (token !== undefined) await connection.onToken?.(token)
  if (message.changes) await connection.beforeChange?.(message)
  return token
}

/**
 * Runs a caller's function. Turns an ApiError from that function into an InvalidRequestError: the ApiError belongs to
 * another request, but would look like a refusal of this request.
 */
async function notAnswered<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const reason = error.message.replace(/\.$/, '')
    throw new InvalidRequestError(`A check before the request failed: ${reason}. Nothing was sent.`, {
      cause: error,
    })
  }
}

/** `firstDoubt`: time of the first attempt that the service may have carried out, in epoch milliseconds. */
async function sendOnce(
  message: Message,
  connection: Connection,
  firstDoubt: number | undefined,
): Promise<Success | Failure> {
  const { origin, prefix, signal } = connection
  const token = await notAnswered(() => checkedToken(message, connection))
  signal.throwIfAborted()
  if (firstDoubt !== undefined && message.changes && mayBeForgotten(firstDoubt, connection.keyLife)) {
    throw new Error('The service may have forgotten its idempotency key meanwhile.')
  }
  const headers = mergeHeaders(connection.headers, token === undefined ? {} : bearer(token), message.headers)
  const { method, body, expected } = message
  const outgoing = { origin, method, path: `${prefix}${message.path}`, headers, body, file: expected?.file }
  const url = `${origin}${outgoing.path}`
  const trace = connection.trace ? createTrace(connection.trace, token) : silent
  trace.request(url, outgoing)
  const start = monotonicClock()
  const result = await exchange(await connection.transport(), outgoing, connection)
  const elapsed = Math.round(monotonicClock() - start)
  try {
    if ('cause' in result) {
      trace.loss(result.reason, elapsed)
      return judgeLoss(result, message, connection)
    }
    trace.reply(result, elapsed)
    connection.onAnswer?.(result)
    const reply = result.status < 400 ? result : { ...result, text: hide(result.text, token) }
    const outcome = judgeReply(reply, { ...message, url, strict: connection.strict })
    return 'answer' in outcome || result.status !== 401 ? outcome : { ...outcome, refused: token }
  } catch (error) {
    // Whatever failed here, the service may have acted on a request that was sent.
    const doubtful = 'cause' in result ? result.sent : true
    return { error, reason: 'the answer could not be read', doubtful, passing: false }
  }
}

function judgeReply(reply: Reply, request: JudgedRequest): Success | Failure {
  const verdict = readEnvelope(reply, request)
  if ('answer' in verdict) return { answer: verdict.answer, reply }
  const { error, definite, said } = verdict
  const { status } = reply
  const passing = status === 429 || isUnfinished(status) || (request.movesMoney && isBusy(status))
  const wait = passing ? requestedDelay(status, reply.headers) : undefined
  return { reply, error, reason: reasonIn(status, definite ? undefined : said), doubtful: !definite, passing, wait }
}

/** True if the status may mean that an earlier request with the same key is still in progress. */
const isBusy = (status: number): boolean => status === 409 || status === 423

/** Maximum length, in characters, of a service's message within a reason. */
const longestReason = 200

/**
 * Reason for a failed attempt, as a short phrase. `said`: the message of an answer that does not prove a refusal; the
 * phrase includes the message for a 4xx.
 */
function reasonIn(status: number, said: string | undefined): string {
  const answered = `the service answered ${status}${status === 429 ? ', too many requests' : ''}`
  if (said === undefined || status >= 500) return answered
  return `${answered}: ${said.slice(0, longestReason).replace(/\.$/, '')}`
}

function judgeLoss(loss: Loss, message: Message, { route, signal }: Connection): Failure {
  const { reason, sent, cause } = loss
  if (signal.aborted) return { error: signal.reason, reason: 'interrupted', doubtful: sent, passing: false }
  if (loss.tooBig) {
    const doubtful = message.changes && !message.repeatable
    const most = maximumAnswer(message.expected ?? {}) / 1024 ** 2
    const error = new ContractError(`The service answered with more than ${most} MiB.`, { doubtful })
    return { error, reason: 'the answer is too large', doubtful: true, passing: false }
  }
  if (cause instanceof InvalidRequestError) return { error: cause, reason, doubtful: false, passing: false }
  const error = new NetworkError(route, reason, { retryable: message.repeatable || !sent, cause })
  return { error, reason, doubtful: sent, passing: true }
}
