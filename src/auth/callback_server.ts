import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorMessage, UsageError } from '../errors/cli_error.ts'
import { clearTimeout, setTimeout } from '../real_time.ts'
import { foreign, say } from '../words/text.ts'
import { type AnswerPage, markup, pageHeaders } from './answer_page.ts'

/** Returns the page for the query of a callback. */
type Answer = (query: URLSearchParams) => Promise<AnswerPage>

const host = '127.0.0.1'
const callbackPath = '/callback'

/**
 * Starts a local server for the browser's redirect; if `port` is 0, on any free port. `redirectUri` is the URL to give
 * to the service. `close` waits at most a second for the last page to be sent, then closes all connections. Throws
 * UsageError if the port can't be used.
 */
export async function startCallbackServer(
  port: number,
  answer: Answer,
): Promise<{ readonly redirectUri: string; close(): Promise<void> }> {
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
  response
    .writeHead(page.status, { ...pageHeaders, Connection: 'close' })
    .end(await markup(page, request.headers['accept-language']))
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: 'close', 'Cache-Control': 'no-store' }).end()
}

async function listening(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'it is taken' : errorMessage(error)
    throw new UsageError(say`Port ${port} of this machine can't be used: ${foreign(why)}.`, { kind: 'choose_port' })
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Maximum wait, in milliseconds, for the last page to be sent. */
const grace = 1_000

async function closed(server: Server): Promise<void> {
  const end = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), grace)
  await end
  clearTimeout(timer)
}
