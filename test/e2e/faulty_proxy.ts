import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Random } from '../simulation/random.ts'
import { serve } from '../support/server.ts'

type Answer = readonly [status: number, headers: Readonly<Record<string, string>>, body: string]

const page = { 'Content-Type': 'text/html' }

/** Answers of a server in front of the service. */
const answers = {
  '502': [502, page, '<html><h1>502 Bad Gateway</h1></html>'],
  '301': [301, { ...page, Location: 'https://www.example.com/' }, ''],
  'captive portal': [200, page, '<html><form action="/login">Welcome to the hotel</form></html>'],
} as const satisfies Readonly<Record<string, Answer>>

/**
 * `hang`: the client gets no answer. `late`: the client gets no answer, and the request arrives after the client has
 * given up. `cut`: the client gets half of the answer.
 */
export const troubles = ['502', '301', 'captive portal', 'reset', 'hang', 'late', 'cut'] as const

export type Trouble = (typeof troubles)[number]

export interface Weather {
  readonly troubles: readonly Trouble[]
  /** Probability of a fault for a request that pays. */
  readonly payments: number
  /** Probability of a fault for any other request. */
  readonly reads: number
}

/** Delay of a late request, in milliseconds: longer than the timeout of a client. */
const lateness = 1_500

/**
 * A proxy in front of a service. Faults happen before the service has the request, or after it has handled the request.
 */
export class FaultyProxy {
  weather: Weather = { troubles: [], payments: 0, reads: 0 }
  /** Faults that requests to pay have met. */
  readonly met = new Set<Trouble>()
  readonly #target: URL
  readonly #random: Random
  readonly #agent = new Agent({ keepAlive: true })
  #payments = 0
  #waiting: { readonly at: number; readonly resolve: () => void }[] = []

  private constructor(target: string, random: Random) {
    this.#target = new URL(target)
    this.#random = random
    onTestFinished(() => this.#agent.destroy())
  }

  static async start(target: string, random: Random) {
    const proxy = new FaultyProxy(target, random)
    const url = await serve((received, response) => void proxy.#pass(received, response))
    return { url, proxy }
  }

  /** Resolves at the nth request to pay from now on. */
  afterPayments(requests: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ at: this.#payments + requests, resolve }))
  }

  async #pass(received: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const body = Buffer.concat(await received.toArray().catch(() => []))
    const pays = received.method === 'POST' && received.url === '/api/payments'
    if (pays) this.#countPayment()
    const trouble = this.#trouble(pays)
    const isForwarded = trouble === undefined || trouble === 'late' || this.#random.chance(0.5)
    if (trouble && pays) this.met.add(trouble)
    if (trouble === 'late') await pause(lateness)
    const answer = isForwarded ? await this.#forward(received, body) : undefined
    if (trouble === undefined && answer) response.writeHead(answer.status, answer.headers).end(answer.body)
    else this.#spoil(trouble ?? 'reset', response, answer?.body)
  }

  #countPayment(): void {
    this.#payments += 1
    for (const { at, resolve } of this.#waiting) if (at <= this.#payments) resolve()
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#payments)
  }

  #trouble(pays: boolean): Trouble | undefined {
    const { troubles, payments, reads } = this.weather
    return this.#random.chance(pays ? payments : reads) ? this.#random.pick(troubles) : undefined
  }

  #forward({ method, url, headers }: IncomingMessage, body: Buffer) {
    const { hostname, port } = this.#target
    const options = { hostname, port, method, path: url, headers, agent: this.#agent }
    return new Promise<Forwarded | undefined>((resolve) => {
      const outgoing = request(options, async (answer) => {
        const { statusCode: status = 502, headers } = answer
        resolve({ status, headers, body: Buffer.concat(await answer.toArray()) })
      })
      outgoing.on('error', () => resolve(undefined))
      outgoing.end(body)
    })
  }

  #spoil(trouble: Trouble, response: ServerResponse, body: Buffer = Buffer.from('{"success":')): void {
    if (trouble === 'hang' || trouble === 'late') return
    if (trouble === 'reset') response.destroy()
    else if (trouble === 'cut') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length + 1 })
      response.write(body.subarray(0, body.length / 2), () => response.destroy())
    } else {
      const [status, headers, text] = answers[trouble]
      response.writeHead(status, headers).end(text)
    }
  }
}

interface Forwarded {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}
