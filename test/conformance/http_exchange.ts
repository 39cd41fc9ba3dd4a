import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Reply, WireRequest } from './target.ts'

const pool = { keepAlive: true, maxSockets: 64 }
const [agent, secureAgent] = [new Agent(pool), new SecureAgent(pool)]

/** One request over a socket, with path and headers exactly as given. */
export async function exchangeOverHttp(origin: URL, wire: WireRequest): Promise<Reply> {
  const { method, url, headers, payload } = wire
  const { port } = origin
  const hostname = origin.hostname.replace(/^\[|\]$/g, '')
  const length = payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { hostname, port, method, path: url, headers: { ...headers, ...length } }
    const outgoing =
      origin.protocol === 'https:'
        ? secureRequest({ ...options, agent: secureAgent }, resolve)
        : request({ ...options, agent }, resolve)
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
}
