import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Observations of a client on one connection. */
export interface Seen {
  readonly bytes: string
  /** Pieces of the answer, in order of arrival. */
  readonly pieces: readonly string[]
  /** Error code at the end of the connection; null: an orderly end. */
  readonly error: string | null
}

/** Sends a request as text, and reads until the service closes the connection or has sent the announced length. */
export async function rawRequest(baseUrl: string, text: string): Promise<Seen> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  socket.write(text)
  return read(socket)
}

async function read(socket: Socket): Promise<Seen> {
  const pieces: string[] = []
  let error: string | null = null
  socket.setEncoding('utf8')
  socket.on('data', (piece: string) => {
    pieces.push(piece)
    if (isWhole(pieces.join(''))) socket.destroy()
  })
  socket.on('error', (fault: Error & { code?: string }) => {
    error = fault.code ?? fault.message
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return { bytes: pieces.join(''), pieces, error }
}

function isWhole(bytes: string): boolean {
  const [head = '', body] = bytes.split('\r\n\r\n', 2)
  return body !== undefined && Buffer.byteLength(body) >= announced(head)
}

/** Body length that the headers announce. */
export const announced = (head: string): number => Number(/content-length: (\d+)/i.exec(head)?.[1])

interface Message {
  readonly method?: string
  readonly path: string
  readonly token: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export function requestText({ method = 'GET', path, token, headers = {}, body }: Message): string {
  const payload = body === undefined ? '' : JSON.stringify(body)
  const all = {
    Host: '127.0.0.1',
    Authorization: `Bearer ${token}`,
    ...(payload && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${payload}`
}
