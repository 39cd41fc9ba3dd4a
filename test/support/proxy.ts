import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { listen } from './server.ts'

export interface Proxy {
  /** Without a scheme. */
  readonly host: string
  /** Target and credentials of each CONNECT request. */
  readonly tunnels: { readonly target: string; readonly authorization: string | undefined }[]
  /** Requests that were not CONNECT. */
  readonly plain: string[]
  /** All bytes that went through the tunnels, both ways. */
  bytes(): string
}

interface Settings {
  /** Target of every tunnel, instead of the requested one. */
  readonly port?: number
  /** Bytes that follow the answer to CONNECT. */
  readonly more?: string
  /** Answer to CONNECT requests; default: status 200. */
  readonly refusal?: string
  /** Key and certificate of a proxy that is used over TLS. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** A real proxy that records its requests. */
export async function startProxy({ port, more = '', refusal, tls }: Settings = {}): Promise<Proxy> {
  const seen: Buffer[] = []
  const tunnels: Proxy['tunnels'] = []
  const plain: string[] = []
  const sockets = new Set<{ destroy(): void }>()
  const answer: RequestListener = (request, response) => {
    plain.push(`${request.method} ${request.url}`)
    response.writeHead(502).end()
  }
  const server = tls ? createSecureServer(tls, answer) : createServer(answer)
  server.on('connect', ({ url = '', headers }, socket) => {
    tunnels.push({ target: url, authorization: headers['proxy-authorization'] })
    socket.on('error', () => {})
    if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`)
    const target = connect(port ?? Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write(`HTTP/1.1 200 Connection Established\r\n\r\n${more}`)
      socket.on('data', (chunk: Buffer) => seen.push(chunk)).pipe(target)
      target.on('data', (chunk: Buffer) => seen.push(chunk)).pipe(socket)
    })
    target.on('error', () => socket.destroy())
    sockets.add(socket).add(target)
  })
  const ownPort = await listen(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const host = `${tls ? 'localhost' : '127.0.0.1'}:${ownPort}`
  return { host, tunnels, plain, bytes: () => Buffer.concat(seen).toString('latin1') }
}
