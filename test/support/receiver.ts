import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventBody } from '../../src/contract/index.ts'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: EventBody
  readonly text: string
}

type Answer = (response: ServerResponse, received: Received) => void

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  /** Resolves when this many deliveries have arrived in total. */
  until(count: number): Promise<Received[]>
}

const accept: Answer = (response) => response.writeHead(204).end()

/** A real HTTP server that saves its requests. */
export async function receiver(answer: Answer = accept): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const one = { headers: request.headers, body: JSON.parse(text), text }
      received.push(one)
      answer(response, one)
      for (const check of waiting) check()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    until: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return
          waiting.delete(check)
          resolve(received)
        }
        waiting.add(check)
        check()
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
