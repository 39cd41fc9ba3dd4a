import type { Socket } from 'node:net'
import { controlEndpoints, documents, type Endpoint, endpoints, oauthEndpoints } from '../src/contract/index.ts'
import { Refusal } from './domain/refusal.ts'
import { errorBody, firstMessage, json, jsonType, refusalMessage, statusMessage } from './envelope.ts'
import type { Reply, Request } from './http_server.ts'
import { isPage } from './oauth/routes.ts'
import { errorPage, sendPage } from './ui/page.ts'

/**
 * Answers whatever was thrown on a request's way: a refusal, or a fault of the emulator.
 * Where a browser stands it is a page, everywhere else the envelope.
 */
export function answerError(fault: (error: unknown) => void) {
  return (error: Error, request: Request, reply: Reply): void => {
    const row = rowOf(request)
    const refusal = error instanceof Refusal ? error : new Refusal(500)
    if (refusal.status === 500 && refusal !== error) fault(error)
    reply.code(refusal.status).headers(refusal.headers)
    if (isPage(request)) sendPage(reply, errorPage(problemOf(refusal)))
    else reply.send(json, errorBody(refusalMessage(refusal, row, request.params), refusal.errors))
  }
}

/** What a user is told of a request that did not get as far as OAuth. */
function problemOf(refusal: Refusal): Parameters<typeof errorPage>[0] {
  const title = statusMessage(refusal.status).replace(/\.$/, '')
  return { title, message: firstMessage(refusal) || refusal.message || 'The emulator did not take this request.' }
}

/** No route took the request: the path is unknown, or it is known and the method is not. */
export function unroutedRefusal(request: Request): Refusal {
  const { path } = request
  const allowed = [...rows, ...Object.values(oauthEndpoints), ...Object.values(documents)]
    .filter((row) => matches(row, path))
    .map((row) => row.method)
  if (allowed.length === 0) return new Refusal(404)
  return new Refusal(405, { headers: { Allow: [...new Set(allowed)].join(', ') } })
}

/** What never became a request: no HTTP, headers beyond all measure, or one that did not come to its end in time. */
export function answerBadHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const phrase = badHttp[error.code ?? ''] ?? '400 Bad Request'
  const body = errorBody(`${phrase.slice(4)}.`)
  const head = [`Content-Type: ${jsonType}`, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
  socket.end(`HTTP/1.1 ${phrase}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  // A client that was slow may be as slow to close its end.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroySoon()
}

const badHttp: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

const rows: readonly Endpoint[] = [...Object.values(endpoints), ...Object.values(controlEndpoints)]

const rowOf = ({ method, route }: Request): Endpoint | undefined =>
  rows.find((row) => row.method === method && row.path === route?.path)

const matches = (row: Pick<Endpoint, 'path'>, path: string): boolean =>
  new RegExp(`^${row.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
