import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Receives deliveries; answers 500 at paths that start with `/fails`. */
export class Receiver {
  readonly #server: Server
  readonly #heard: {
    readonly url: string
    readonly headers: Readonly<Record<string, unknown>>
    readonly body: string
    readonly at: number
  }[] = []
  /** Time of the world that sends the deliveries, in epoch milliseconds. */
  now = () => 0

  constructor() {
    this.#server = createServer(async (request, response) => {
      const at = this.now()
      const body = await text(request)
      this.#heard.push({ at, url: `${this.url}${request.url}`, headers: request.headers, body })
      response.writeHead(request.url?.startsWith('/fails') ? 500 : 200).end()
    })
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Returns the deliveries since the last call. */
  take() {
    return this.#heard.splice(0)
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
