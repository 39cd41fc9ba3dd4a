import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../src/client/index.ts'
import { freePort } from './free_port.ts'
import { listen } from './server.ts'

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An answer: `[status, body, headers]`, where an object body is sent as JSON, or a function that answers. */
export type Reply =
  | readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]
  | ((response: ServerResponse, request: IncomingMessage) => void)

export interface Stub {
  readonly url: string
  /** Requests in order of arrival. */
  readonly received: Received[]
}

export const success = (data: unknown) => ({ success: true, message: 'Done', data })

export const failure = (message: string, errors: unknown = {}) => ({ success: false, message, data: null, errors })

/** Starts a server that returns the replies in order, and repeats the last one. */
export async function startStub(...replies: readonly Reply[]): Promise<Stub> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const reply = replies[Math.min(received.length, replies.length - 1)]
    const chunks: Buffer[] = []
    const { method = '', url = '', headers } = request
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    if (typeof reply === 'function') return reply(response, request)
    const [status, body, extra] = reply ?? [200, success(null)]
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'Content-Type': 'application/json', ...extra }).end(text)
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, received }
}

/** Starts a server of raw bytes. */
export async function startTcp(onConnection: (socket: Socket, number: number) => void): Promise<string> {
  const sockets = new Set<Socket>()
  let number = 0
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    number += 1
    onConnection(socket, number)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${await listen(server)}`
}

/** The base URL of a port on which no program listens. */
export const deadUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`

interface Rig {
  readonly client: Client
  /** Every delay between attempts, in milliseconds. The client does not wait. */
  readonly delays: number[]
}

export function rig(baseUrl: string, options: Partial<ClientOptions> = {}): Rig {
  const delays: number[] = []
  const delay = async (ms: number) => {
    delays.push(ms)
  }
  const client = createClient({ baseUrl, token: 'token-of-the-test', delay, ...options })
  onTestFinished(() => client.close())
  return { client, delays }
}

export const key = 'key-1'

export const payment = {
  headers: { 'X-Idempotency-Key': key },
  body: { source_account_id: '3f0c2b1e-0000-4000-8000-000000000001', amount: 1500, recipient_phone: '88887777' },
} as const

/** The error that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It succeeded.')
}
