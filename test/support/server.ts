import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

interface ListenOptions {
  readonly host?: string
  readonly port?: number
  /** Registers the end of the server: `onTestFinished` or `afterAll`. */
  readonly until?: (end: () => void) => void
}

/** Listens on a free port until the test ends, and then drops open HTTP connections. Returns the port. */
export async function listen(
  server: Server & { closeAllConnections?(): void },
  { host = '127.0.0.1', port = 0, until = onTestFinished }: ListenOptions = {},
): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  until(() => {
    server.close()
    server.closeAllConnections?.()
  })
  return (server.address() as AddressInfo).port
}

/** A port on which a server listens until the test ends. */
export const takenPort = (): Promise<number> => listen(createServer())

/** Serves HTTP until the test ends. Returns the URL, without a slash at its end. */
export async function serve(answer: RequestListener, options: ListenOptions = {}): Promise<string> {
  const { host = '127.0.0.1' } = options
  const port = await listen(createServer(answer), options)
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Serves HTTPS until the test ends. Returns the port. */
export const serveSecurely = (
  tls: { readonly key: string; readonly cert: string },
  answer: RequestListener,
): Promise<number> => listen(createSecureServer(tls, answer))
