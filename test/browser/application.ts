import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Where a browser is sent back to. */
export interface Application {
  readonly callback: string
  /** The query of the last callback. */
  called(): URLSearchParams | undefined
}

/** An application that waits for its users on a port of its own; it may send them on to somewhere else. */
export async function startApplication({ host = '127.0.0.1', sendsOnTo = '' } = {}): Promise<Application> {
  let called: URLSearchParams | undefined
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://application')
    if (pathname === '/callback') called = searchParams
    if (pathname === '/callback' && sendsOnTo) response.writeHead(302, { location: sendsOnTo }).end()
    else response.end('Back at the application')
  })
  await listening(server, host)
  return { callback: `${originOf(server, host)}/callback`, called: () => called }
}

/** A page of somebody else, on another origin. */
export async function startForeignPage(markup: string): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(markup))
  await listening(server, '127.0.0.1')
  return originOf(server, 'localhost')
}

type Server = ReturnType<typeof createServer>

async function listening(server: Server, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
}

function originOf(server: Server, host: string): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
}
