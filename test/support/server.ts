import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** Listens on a free port until the test ends, and then drops open HTTP connections. Returns the port. */
export async function listen(
  server: Server & { closeAllConnections?(): void },
  { host = '127.0.0.1', port = 0 } = {},
): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections?.()
  })
  return (server.address() as AddressInfo).port
}

/** A port on which a server listens until the test ends. */
export const takenPort = (): Promise<number> => listen(createServer())

/** Serves HTTP until the test ends. Returns the URL, without a slash at its end. */
export const serve = async (answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer(answer))}`
