import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { EventBody } from '../../../src/contract/index.ts'

export interface Receiver {
  readonly url: string
  readonly received: EventBody[]
  /** Sets the status of its answers from now on; null: never answers. */
  answer(status: number | null): void
}

/** A webhook receiver, until the test ends. */
export async function startReceiver(): Promise<Receiver> {
  const received: EventBody[] = []
  let status: number | null = 200
  const server = createServer(async (request, response) => {
    received.push(JSON.parse(await text(request)))
    if (status !== null) response.writeHead(status).end('seen')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => close(server))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer(next) {
      status = next
    },
  }
}

function close(server: Server): void {
  server.close()
  server.closeAllConnections()
}
