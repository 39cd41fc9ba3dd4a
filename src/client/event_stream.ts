import { WorldEvent } from '../contract/control/events.ts'
import { controlEndpoints } from '../contract/control.ts'
import { ApiError, ContractError, NetworkError } from '../errors/service_errors.ts'
import type { Connection } from './connection.ts'
import { decode, isObject, isTooDeep, type Shape } from './decode.ts'
import { readEnvelope } from './envelope.ts'
import { lossReason, type Streamed } from './exchange.ts'
import { bearer } from './header.ts'
import { type Message, rowMessage } from './message.ts'
import { backoff } from './retry.ts'
import { createTrace } from './trace.ts'

/** Maximum length of one event, in characters. */
const longestEvent = 32 * 1024 * 1024

/**
 * Number of consecutive failed connections after which the stream fails. With growing pauses, these attempts take about
 * half a minute.
 */
const mostAttempts = 15

/**
 * Yields the events of a world until the world ends; the last event is `end`. Connects again when the connection is
 * lost, and continues after the last event. Throws ApiError, ContractError, NetworkError and InvalidRequestError.
 */
export async function* worldEvents(connection: Connection): AsyncGenerator<WorldEvent, void, undefined> {
  const { delay, signal, onRetry, route } = connection
  let last: string | undefined
  let failures = 0
  for (let attempt = 1; ; attempt += 1) {
    let reason: string
    try {
      for await (const event of eventsAfter(last, connection)) {
        last = event.id
        attempt = 1
        failures = 0
        yield event
        if (event.type === 'end') return
      }
      failures = 0
      reason = 'the connection was closed'
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error)) throw error
      reason = error instanceof ApiError ? `the service answered ${error.status}` : lossReason(error)
      failures += 1
      if (failures >= mostAttempts) throw new NetworkError(route, reason, { retryable: true, cause: error })
    }
    const wait = Math.round(backoff(attempt))
    onRetry?.({ attempt, delay: wait, reason })
    await delay(wait, signal)
  }
}

/** True if a later connection may succeed. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.retryable
  return error instanceof Error && 'code' in error
}

/** Yields the events of one connection. Ends without an `end` event if the connection is closed between two events. */
async function* eventsAfter(
  last: string | undefined,
  connection: Connection,
): AsyncGenerator<WorldEvent, void, undefined> {
  const message = rowMessage(controlEndpoints['control.events'], last ? { headers: { 'Last-Event-ID': last } } : {})
  const stream = await open(message, connection)
  try {
    for await (const text of framesOf(stream.text())) {
      const data = text
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice('data: '.length))
      const event = data.length === 0 ? null : eventOf(data.join('\n'))
      if (event) yield event
    }
  } finally {
    stream.close()
  }
}

/** Resolves with an answer whose body is a stream of events. Throws the error of any other answer. */
async function open(message: Message, connection: Connection): Promise<Streamed> {
  const { origin, prefix, signal } = connection
  const token = message.authenticated ? await connection.token() : undefined
  if (token !== undefined) await connection.onToken?.(token)
  signal.throwIfAborted()
  const headers = { ...connection.headers, ...(token !== undefined && bearer(token)), ...message.headers }
  const outgoing = { origin, method: message.method, path: `${prefix}${message.path}`, headers, body: undefined }
  const url = `${origin}${outgoing.path}`
  if (connection.trace) createTrace(connection.trace, token).request(url, outgoing)
  const transport = await connection.transport()
  const stream = await transport.stream(outgoing, signal)
  if (stream.status === 200 && stream.type.startsWith(message.expected?.file ?? '')) return stream
  const reply = await stream.whole()
  const verdict = readEnvelope(reply, { ...message, url, strict: false })
  throw 'error' in verdict ? verdict.error : new ContractError(`The service answered ${reply.status} without a stream.`)
}

/** Yields the text between empty lines: events and comments. */
async function* framesOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let text = ''
  for await (const chunk of pieces) {
    text += chunk
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    yield* frames
    if (text.length > longestEvent) throw new ContractError('The service sent an event of more than 32 MiB.')
  }
}

const types = new Set<unknown>(WorldEvent.anyOf.map(({ properties }) => properties.type.const))

/**
 * Parses an event; null if this version does not know the event's type. Throws ContractError for anything but an event.
 */
function eventOf(text: string): WorldEvent | null {
  const event = objectIn(text)
  if (event === undefined) throw new ContractError('The service sent an event that is not a JSON object.')
  if (!types.has(event.type)) return null
  const { data, fault } = decode(event, WorldEvent as Shape)
  if (fault === null) return data as WorldEvent
  throw new ContractError(`The service sent an event that does not match the interface: ${fault}.`)
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && !isTooDeep(value) ? value : undefined
  } catch {
    return undefined
  }
}
