import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clearTimeout, setTimeout } from '../real_time.ts'
import { type Delivery, endToEnd } from './delivery.ts'

/** Header that proves that a delivery comes from the receiver's own subscription. */
export const secretHeader = 'X-Payctl-Tail-Secret'

export const newSecret = (): string => randomBytes(32).toString('base64url')

export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Maximum number of bytes in a delivery. */
const maximumDelivery = 1024 * 1024

/** The answer to a delivery; any 2xx acknowledges the delivery. */
export interface Acknowledgement {
  readonly status: number
  readonly contentType?: string | undefined
  readonly body?: Buffer
}

interface Options {
  /** 0: any free port. */
  readonly port: number
  readonly secret: string
  /** Called with each complete delivery. */
  readonly onDelivery: (delivery: Delivery) => Promise<Acknowledgement>
}

interface Receiver {
  readonly port: number
  /**
   * Ends all connections; a connection with a pending answer ends after the answer, at the latest after `grace`
   * milliseconds.
   */
  close(grace: number): Promise<void>
}

const host = '127.0.0.1'

/** Listens on loopback. Refuses a request without the secret before reading its body. */
export async function startReceiver({ port, secret, onDelivery }: Options): Promise<Receiver> {
  const limits = { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 75_000 }
  const server = http.createServer(limits, (request, response) => {
    answer(request, { secret, onDelivery })
      .catch((): Acknowledgement => ({ status: 500 }))
      .then((acknowledgement) => respond(request, response, acknowledgement))
      .catch(() => response.destroy()) // the target's answer can't be sent over HTTP
  })
  // Without this listener, Node would request the body of a delivery before the receiver can refuse the delivery.
  server.on('checkContinue', (request, response) => {
    if (refusalOf(request, secret) === undefined) response.writeContinue()
    server.emit('request', request, response)
  })
  server.listen(port, host)
  await once(server, 'listening')
  server.on('error', () => {}) // a connection could not be accepted; its sender tries again
  return {
    port: (server.address() as AddressInfo).port,
    async close(grace) {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), grace)
      await closed
      clearTimeout(timer)
    },
  }
}

async function answer(
  request: IncomingMessage,
  { secret, onDelivery }: Omit<Options, 'port'>,
): Promise<Acknowledgement> {
  const refusal = refusalOf(request, secret)
  if (refusal !== undefined) return { status: refusal }
  const body = await read(request)
  if (body === null) return { status: 413 }
  const headers = endToEnd(request.rawHeaders, secretHeader)
  return onDelivery({ receivedAt: new Date().toISOString(), headers, body })
}

function refusalOf({ method, headers }: IncomingMessage, secret: string): number | undefined {
  const received = String(headers[secretHeader.toLowerCase()] ?? '')
  // In constant time.
  if (!timingSafeEqual(digest(received), digest(secret))) return 401
  if (method !== 'POST') return 405
  if (Number(headers['content-length'] ?? 0) > maximumDelivery) return 413
  return undefined
}

/** Reads the body of a delivery; null if the body is too big. */
async function read(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  // Keeps the connection open for the answer, even if the rest of the body is not read.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maximumDelivery) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Sends the answer; then closes the connection if the body of the request was not read to its end. */
function respond(request: IncomingMessage, response: ServerResponse, { status, contentType, body }: Acknowledgement) {
  if (response.destroyed) return
  const headers = {
    ...(contentType !== undefined && { 'Content-Type': contentType }),
    ...(!request.complete && { Connection: 'close' }),
    ...(status === 405 && { Allow: 'POST' }),
  }
  response.writeHead(status, headers).end(status === 204 || status === 304 ? undefined : body)
}
