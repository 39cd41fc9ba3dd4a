import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { lookupFor } from '../../src/client/loopback.ts'
import { Undecided } from './not_applicable.ts'
import type { Reply, WireRequest } from './target.ts'

const pool = { keepAlive: true, maxSockets: 64 }
const [agent, secureAgent] = [new Agent(pool), new SecureAgent(pool)]

/** Milliseconds. */
const longestAnswer = 30_000

/** One request over a socket, with path and headers exactly as given. Throws Undecided without a whole answer. */
export async function exchangeOverHttp(origin: URL, wire: WireRequest): Promise<Reply> {
  const { method, url, headers, payload } = wire
  const { port } = origin
  const hostname = origin.hostname.replace(/^\[|\]$/g, '')
  const length = payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) }
  const signal = AbortSignal.timeout(longestAnswer)
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
      const outgoing =
        origin.protocol === 'https:'
          ? secureRequest({ ...options, agent: secureAgent }, resolve)
          : request({ ...options, agent }, resolve)
      outgoing.on('error', reject)
      outgoing.end(payload)
    })
    return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
  } catch (error) {
    const why = signal.aborted ? `none in ${longestAnswer / 1000} s` : codeOf(error)
    throw new Undecided(`No answer to ${method} ${url}: ${why}`, { cause: error })
  }
}

const codeOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
