import type { Agent, ClientRequest, IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import {
  type Attempt,
  contentOf,
  maximumAnswer,
  type Outgoing,
  type Reply,
  type Streamed,
  TooBig,
  type Transport,
} from './exchange.ts'

/** Sockets, and the function of node:http or node:https that sends requests. */
interface Sockets {
  readonly request: typeof request
  readonly agent: Agent
}

export const socketTransport = (sockets: Sockets): Transport => ({
  reply: (outgoing, attempt) => transfer(sockets, outgoing, attempt),
  stream: (outgoing, signal) => stream(sockets, outgoing, signal),
})

function transfer(
  { request: open, agent }: Sockets,
  { origin, body, file, ...outgoing }: Outgoing,
  { stop, progress }: Attempt,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const content = typeof body === 'string' ? Buffer.from(body) : body
    const headers = content ? { ...outgoing.headers, 'Content-Length': content.length } : outgoing.headers
    const request = open(origin, { ...outgoing, headers, agent, signal: stop })
    let answer: IncomingMessage | undefined
    request
      .on('error', reject)
      .on('upgrade', refuseUpgrade(reject))
      .on('response', (response) => {
        answer = response
        // This is not `resolve(readReply(…))`, because an error of the request still counts if it occurs at the end of
        // the answer.
        readReply(response, file).then(resolve, reject)
      })
      .on('socket', (socket) => {
        // Node drops the connection if another answer follows in the same bytes, and reports no error.
        const check = () => {
          if (answer?.complete && socket.destroyed) reject(new SecondAnswer())
        }
        socket.on('data', check)
        request.once('close', () => socket.off('data', check))
      })
    whenConnected(request, () => {
      progress.sent = true
      request.end(content)
    })
  })
}

/**
 * Calls `send` when the connection is established. Nothing is sent before that, so until then the service can't know
 * the request.
 */
function whenConnected(request: ClientRequest, send: () => void): void {
  request.once('socket', (socket: Socket | TLSSocket) => {
    // A reused connection and a proxy's open tunnel have finished the handshake.
    if ('encrypted' in socket && socket.getFinished() === undefined) socket.once('secureConnect', send)
    else if (socket.connecting) socket.once('connect', send)
    else send()
  })
}

/** The answer changes to another protocol, which was not requested. */
class Upgrade extends Error {
  readonly code = 'ERR_UPGRADE'
}

/** One request got two answers: either may belong to another request. */
class SecondAnswer extends Error {
  readonly code = 'ERR_SECOND_ANSWER'
}

/** Reads a whole answer; as bytes if the answer is a file of the media type `file`. */
function readReply(response: IncomingMessage, file: string | undefined): Promise<Reply> {
  const isFile = file !== undefined && response.headers['content-type'] === file
  const largest = maximumAnswer({ file: isFile ? file : undefined })
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response
      .on('error', reject)
      .on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > largest) response.destroy(new TooBig())
        else chunks.push(chunk)
      })
      .on('end', () => {
        const values = Object.entries(response.headersDistinct)
        const headers = Object.fromEntries(values.map(([name, all]) => [name, String(all)]))
        resolve({ status: Number(response.statusCode), headers, ...contentOf(Buffer.concat(chunks), isFile) })
      })
  })
}

/** Listener for an upgrade, which nobody has requested: it counts as no answer. */
const refuseUpgrade =
  (reject: (error: Error) => void) =>
  (_: IncomingMessage, socket: Socket): void => {
    // Node has given the connection away: an error of the request or the socket would reach nobody.
    socket.on('error', () => {}).destroy()
    reject(new Upgrade())
  }

/** Longest silence to accept from an emulator, in milliseconds: an emulator sends a comment every 15 s. */
const longestSilence = 45_000

const stream = (
  { request: open, agent }: Sockets,
  { origin, body: _, ...outgoing }: Outgoing,
  signal: AbortSignal,
): Promise<Streamed> =>
  new Promise((resolve, reject) => {
    const request = open(origin, { ...outgoing, agent, signal })
    request.setTimeout(longestSilence, () => request.destroy(new Silence()))
    request
      .on('error', reject)
      .on('upgrade', refuseUpgrade(reject))
      .on('response', (response) => {
        resolve({
          status: Number(response.statusCode),
          type: response.headers['content-type'] ?? '',
          text: () => response.setEncoding('utf8'),
          whole: () => readReply(response, undefined),
          close: () => response.destroy(),
        })
      })
      .end()
  })

/** The other side has sent nothing for too long: the connection may be dead. */
class Silence extends Error {
  readonly code = 'ETIMEDOUT'
}
