import http, { Agent, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { lookupFor } from '../../src/client/base_url.ts'
import { Undecided } from './not_applicable.ts'
import type { Reply, WireRequest } from './target.ts'

const pool = { keepAlive: true, maxSockets: 64 }
const [agent, secureAgent] = [new Agent(pool), new https.Agent(pool)]

/** Time limits in milliseconds; `read` applies to reads after several consecutive requests without an answer. */
const longest = { answer: 30_000, read: 1000 }

/** Number of consecutive late requests after which the service counts as hanging. */
const severalLate = 3

/** Number of consecutive requests without an answer in time. */
let late = 0

/** Sends one request over a socket, with unchanged path and headers. Throws Undecided unless a whole answer arrives. */
export async function exchangeOverHttp(origin: URL, wire: WireRequest): Promise<Reply> {
  const { method, url, headers, payload } = wire
  const { port } = origin
  const hostname = origin.hostname.replace(/^\[|\]$/g, '')
  const length = payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) }
  const wait = late >= severalLate && method === 'GET' ? longest.read : longest.answer
  const signal = AbortSignal.timeout(wait)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        hostname,
        port,
        method,
        path: url,
        headers: { ...headers, ...length },
        signal,
        ...lookupFor(origin.href),
      }
      // Calls members of the modules instead of imported functions, because MSW replaces the members.
      const outgoing =
        origin.protocol === 'https:'
          ? https.request({ ...options, agent: secureAgent }, resolve)
          : http.request({ ...options, agent }, resolve)
      outgoing.on('error', reject)
      outgoing.end(payload)
    })
    const answer = { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
    late = 0
    return answer
  } catch (error) {
    if (signal.aborted) late += 1
    const why = signal.aborted ? `none in ${wait / 1000} s` : codeOf(error)
    throw new Undecided(`No answer to ${method} ${url}: ${why}`, { cause: error })
  }
}

/** Makes requests to a server; its base URL may have a path. */
export function exchangeAt(baseUrl: string): (wire: WireRequest) => Promise<Reply> {
  const origin = new URL(baseUrl)
  const prefix = origin.pathname.replace(/\/$/, '')
  return (wire) => exchangeOverHttp(origin, { ...wire, url: prefix + wire.url })
}

const codeOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
