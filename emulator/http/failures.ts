import type { Socket } from 'node:net'
import { controlEndpoints, type Endpoint, endpoints } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { isPageRequest } from '../oauth/routes.ts'
import { languageOf } from '../ui/language.ts'
import { errorPage, sendPage } from '../ui/page.ts'
import { missingPart } from '../version.ts'
import { errorBody, firstMessage, json, jsonType, refusalMessage, statusMessage } from './envelope.ts'
import type { Reply, Request } from './message.ts'

/**
 * Sends the answer for an error that was thrown while a request was handled: a refusal, or an internal error of the
 * emulator (500). A request for a page of the login gets a page, any other request the envelope.
 */
export function answerError(fault: (error: unknown) => void) {
  return (error: Error, request: Request, reply: Reply): void => {
    const row = rowOf(request)
    const refusal = error instanceof Refusal ? error : new Refusal(500, { message: adviceFor(error) ?? '' })
    if (refusal.status === 500 && refusal !== error) fault(error)
    reply.code(refusal.status).headers(refusal.headers)
    if (isPageRequest(request)) sendPage(reply, errorPage(problemOf(refusal), languageOf(request)))
    else reply.send(json, errorBody(refusalMessage(refusal, row, request.params), refusal.errors))
  }
}

/** Advice for an error caused by the machine or the installation; null for any other error. */
function adviceFor({ code, syscall }: NodeJS.ErrnoException): string | null {
  if (code === 'EMFILE' || code === 'ENFILE') {
    return `The emulator can’t open any more files (${code}). Close connections, or raise the limit: ulimit -n`
  }
  const isMissing = code === 'MODULE_NOT_FOUND' || (code === 'ENOENT' && syscall?.startsWith('spawn'))
  return isMissing ? missingPart : null
}

/** Title and message of the error page for a request that was refused before OAuth handled it. */
function problemOf(refusal: Refusal): Parameters<typeof errorPage>[0] {
  const title = statusMessage(refusal.status).replace(/\.$/, '')
  return { title, message: firstMessage(refusal) || refusal.message || 'The emulator did not accept this request.' }
}

/** The refusal of a request that has no route: an unknown path (404), or another method (405). */
export const unroutedRefusal = (allowed: readonly string[]): Refusal =>
  allowed.length === 0 ? new Refusal(404) : new Refusal(405, { headers: { Allow: allowed.join(', ') } })

/**
 * Answers input that can't be parsed as a request: not HTTP (400), headers too large (431), incomplete at the time
 * limit (408).
 */
export function answerBadHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const phrase = badHttp[error.code ?? ''] ?? '400 Bad Request'
  const body = errorBody(`${phrase.slice(4)}.`)
  const head = [`Content-Type: ${jsonType}`, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
  socket.end(`HTTP/1.1 ${phrase}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  // A client that was slow to send may also be slow to close.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroySoon()
}

const badHttp: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

const rows: readonly Endpoint[] = [...Object.values(endpoints), ...Object.values(controlEndpoints)]

const rowOf = ({ method, route }: Request): Endpoint | undefined =>
  rows.find((row) => row.method === method && row.path === route?.path)
