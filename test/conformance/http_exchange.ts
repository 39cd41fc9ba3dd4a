import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Reply, WireRequest } from './target.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** One request over a socket, with path and headers exactly as given. */
export async function exchangeOverHttp(origin: URL, wire: WireRequest): Promise<Reply> {
  const { method, url, headers, payload } = wire
  const { hostname, port } = origin
  const length = payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: url, headers: { ...headers, ...length }, agent }, resolve)
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
}
