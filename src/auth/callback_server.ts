import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorMessage, UsageError } from '../errors/cli_error.ts'
import { clearTimeout, setTimeout } from '../real_time.ts'
import { type AnswerPage, markup, pageHeaders } from './answer_page.ts'

/** Local server for the browser's redirect. */
interface CallbackServer {
  /** Redirect URI for the service. */
  readonly redirectUri: string
  /** Lets the last page arrive, then closes all connections. */
  close(): Promise<void>
}

/** Returns the page for the query of a callback. */
export type Answer = (query: URLSearchParams) => Promise<AnswerPage>

const host = '127.0.0.1'
const callbackPath = '/callback'

/** `port` 0: any free port. Throws UsageError if the port is taken. */
export async function startCallbackServer(port: number, answer: Answer): Promise<CallbackServer> {
  const server = createServer((request, response) => {
    respond(request, response, answer).catch(() => response.destroy())
  })
  await listening(server, port)
  return {
    redirectUri: `http://${host}:${portOf(server)}${callbackPath}`,
    close: () => closed(server),
  }
}

/** Refuses other host names: another site can send a browser here by a name that resolves to this machine. */
async function respond(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const authority = `${host}:${request.socket.localPort}`
  if (request.headers.host !== authority) return refuse(response, 421)
  const [path, query = ''] = (request.url ?? '').split(/\?(.*)/s)
  if (path !== callbackPath) return refuse(response, 404)
  if (request.method !== 'GET') return refuse(response.setHeader('Allow', 'GET'), 405)
  const page = await answer(new URLSearchParams(query))
  response.writeHead(page.status, { ...pageHeaders, Connection: 'close' }).end(markup(page))
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: 'close', 'Cache-Control': 'no-store' }).end()
}

async function listening(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'it is taken' : errorMessage(error)
    throw new UsageError(`Port ${port} of this machine can't be used: ${why}.`, 'Give another with --port, or none')
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Milliseconds for the last page to arrive. */
const grace = 1_000

async function closed(server: Server): Promise<void> {
  const end = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), grace)
  await end
  clearTimeout(timer)
}
