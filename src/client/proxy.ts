import http, { type Agent } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { lookupFor } from './base_url.ts'
import { isCut, ProxyError } from './exchange.ts'

interface Tunnels {
  readonly proxy: string
  /** Aborts attempts to open a tunnel. */
  readonly closing: AbortSignal
  /** Maximum time for opening a tunnel, in milliseconds. */
  readonly timeout: number
}

/**
 * Makes an agent connect through a proxy. Every connection is a tunnel, so that only the service answers: a proxy that
 * received the request itself could answer it, and would see the token.
 */
export function connectThrough(agent: Agent, tunnels: Tunnels): void {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const { protocol } = options as { readonly protocol?: string }
    const host = String(options.host)
    const target = `${host.includes(':') ? `[${host}]` : host}:${options.port}`
    openTunnel(target, tunnels)
      .then((socket) => (protocol === 'https:' ? connect({ ...options, socket } as typeof options) : socket))
      .then(
        (socket) => callback?.(null, socket as Socket),
        (error) => callback?.(error, undefined as never),
      )
    return undefined
  }
}

function openTunnel(target: string, { proxy, closing, timeout }: Tunnels): Promise<Socket> {
  const { href, protocol, username, password } = new URL(proxy)
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization =
    username === '' ? {} : { 'Proxy-Authorization': `Basic ${Buffer.from(user).toString('base64')}` }
  const { request: open } = protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const request = open(href, {
      method: 'CONNECT',
      path: target,
      headers: { Host: target, ...authorization },
      auth: null,
      agent: false,
      timeout,
      signal: closing,
      ...lookupFor(proxy),
    })
    request
      .on('connect', ({ statusCode }, socket: Socket, more: Buffer) => {
        if (statusCode === 200 && more.length === 0) return resolve(socket)
        socket.on('error', () => {}).destroy()
        // The service sends nothing before a request, so these bytes come from the proxy.
        reject(new ProxyError(statusCode === 200 ? 'the proxy sent data after its answer' : refusalOf(statusCode)))
      })
      .on('timeout', () => request.destroy(new ProxyError('no connection in time')))
      .on('error', (cause) => reject(faultOf(cause)))
      .end()
  })
}

const refusalOf = (status: number | undefined): string =>
  status === 407 ? 'the proxy requires a user name and password (407)' : `the proxy refused the connection (${status})`

function faultOf(cause: Error & { readonly code?: string }): Error {
  if (cause.code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new ProxyError('the proxy’s certificate belongs to another host', { cause })
  }
  return isCut(cause) ? new ProxyError('the proxy closed the connection', { cause }) : cause
}
