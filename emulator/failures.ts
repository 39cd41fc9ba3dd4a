import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  controlEndpoints,
  documents,
  type Endpoint,
  type ErrorStatus,
  endpoints,
  oauthEndpoints,
} from '../src/contract/index.ts'
import { Refusal } from './domain/refusal.ts'
import { errorBody, refusalMessage, statusMessage } from './envelope.ts'
import { json } from './json_body.ts'
import { pathOf, routePath } from './route_path.ts'

/** Answers whatever was thrown on a request's way: a refusal, an error of fastify's own, or a fault of the emulator. */
export function answerError(fault: (error: unknown) => void) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const row = rowOf(request)
    if (error instanceof Refusal) {
      reply.code(error.status).headers(error.headers).type(json)
      reply.send(errorBody(refusalMessage(error, row), error.errors))
      return
    }
    const status = httpStatusOf(error)
    if (status === 500) fault(error)
    reply.code(status).type(json)
    reply.send(errorBody((status === 500 && row?.errors[500]) || statusMessage(status)))
  }
}

/** No route took the request: the path is unknown, or it is known and the method is not. */
export function refuseUnrouted(request: FastifyRequest): never {
  const path = pathOf(request)
  const allowed = [...rows, ...Object.values(oauthEndpoints), ...Object.values(documents)]
    .filter((row) => matches(row, path))
    .map((row) => row.method)
  if (allowed.length === 0) throw new Refusal(404)
  throw new Refusal(405, { headers: { Allow: [...new Set(allowed)].join(', ') } })
}

/** What never became a request: no HTTP, or headers beyond all measure. */
export function answerBadHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const phrase = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const body = errorBody(`${phrase.slice(4)}.`)
  const head = [`Content-Type: ${json}`, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
  socket.end(`HTTP/1.1 ${phrase}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
}

/** The errors fastify raises by itself carry their status: a body it can't take, a path it can't read. */
function httpStatusOf(error: Error): ErrorStatus {
  const { statusCode = 500 } = error as { statusCode?: number }
  return statusCode >= 400 && statusCode < 500 ? (statusCode as ErrorStatus) : 500
}

const rows: readonly Endpoint[] = [...Object.values(endpoints), ...Object.values(controlEndpoints)]

const rowOf = (request: FastifyRequest): Endpoint | undefined =>
  rows.find((row) => row.method === request.method && routePath(row) === request.routeOptions.url)

const matches = (row: Pick<Endpoint, 'path'>, path: string): boolean =>
  new RegExp(`^${row.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
