import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { serve } from '../../support/server.ts'

/** Values that depend on the machine, besides the port: see docs/guide/determinism.md. */
const machines = [/"(duration_ms|offset_ms|idle_ms|size_bytes|pid)":-?\d+/g, /"(taken_at|revision)":"[^"]*"/g]

/** In answers of these endpoints, `created_at` is the machine's time too. */
const aboutWorlds = /^\/_emulator\/(worlds|snapshots)/

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: a scenario takes what it needs from whatever came
  readonly data: any
}

interface Message {
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
}

/** Everything that an emulator sends, as comparable text. Deliveries continue while requests are answered. */
export class Transcript {
  readonly answers: string[] = []
  readonly deliveries: string[] = []
  readonly #baseUrl: string
  readonly #ports: Map<string, string>

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
    this.#ports = new Map([[new URL(baseUrl).port, 'emulator']])
  }

  /** Sends one request; records the answer, status, all headers and body. */
  async ask(method: string, path: string, { headers = {}, json, form }: Message = {}): Promise<Answer> {
    const body = form ? String(new URLSearchParams(form)) : json === undefined ? '' : JSON.stringify(json)
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const typed = body === '' ? {} : { 'Content-Type': type }
    const outgoing = request(`${this.#baseUrl}${path}`, { method, headers: { ...typed, ...headers } })
    const [answer] = (await once(outgoing.end(body), 'response')) as [IncomingMessage]
    const came = await text(answer)
    const masks = aboutWorlds.test(path) ? [...machines, /"(created_at)":"[^"]*"/g] : machines
    this.answers.push(this.#shown(`${method} ${path} ${answer.statusCode}`, answer.rawHeaders, masked(came, masks)))
    const data = answer.headers['content-type']?.startsWith('application/json') ? JSON.parse(came) : {}
    return { status: answer.statusCode ?? 0, headers: answer.headers, data: data.data ?? data }
  }

  /** Receives deliveries until the test ends; `statusOf` returns the status of each answer. */
  async receiver(name: string, statusOf: (request: IncomingMessage) => number): Promise<string> {
    const url = await serve(async (incoming, response) => {
      this.deliveries.push(this.#shown(`${name} ${incoming.url}`, incoming.rawHeaders, await text(incoming)))
      response.writeHead(statusOf(incoming)).end(`${name} took it`)
    })
    this.#ports.set(new URL(url).port, name)
    return url
  }

  #shown(title: string, rawHeaders: readonly string[], body: string): string {
    const headers = rawHeaders.flatMap((name, at) =>
      // Leaves out a content length that includes masked values.
      at % 2 === 1 || (name === 'content-length' && body.includes(mask)) ? [] : [`${name}: ${rawHeaders[at + 1]}`],
    )
    return [...this.#ports].reduce(
      (shown, [port, name]) => shown.replace(new RegExp(`(127\\.0\\.0\\.1(?::|%3A))${port}\\b`, 'g'), `$1<${name}>`),
      [title, ...headers, body].join('\n'),
    )
  }
}

const mask = '<the machine’s>'

const masked = (body: string, patterns: readonly RegExp[]): string =>
  patterns.reduce((shown, pattern) => shown.replace(pattern, `"$1":"${mask}"`), body)
