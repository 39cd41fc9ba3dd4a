import net from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import type { EventName } from '../contract/event_names.ts'
import { deliverySignature } from '../contract/signatures.ts'
import { monotonicClock } from '../real_time.ts'
import type { Delivery } from './delivery.ts'

/** Events, and the URL to post their deliveries to. */
export interface Route {
  readonly events: readonly EventName[]
  readonly url: string
}

/** Header and secret to sign deliveries with. */
export interface Signing {
  readonly header: string
  readonly secret: string
}

interface ForwardOptions {
  /** Milliseconds for one delivery, from connecting to the end of the answer. */
  readonly timeout: number
  /** Signs posted deliveries; undefined: headers stay as received. */
  readonly signing?: Signing | undefined
}

/** Posts deliveries to the target of their event. */
export class Routes {
  readonly #forwarders = new Map<string, Forwarder>()
  readonly #byEvent = new Map<string, string>()
  readonly #others: string | undefined

  /** `forwardTo`: target URL of deliveries that match no route. `options`: passed to the Forwarder of each URL. */
  constructor(routes: readonly Route[], forwardTo: string | undefined, options: ForwardOptions) {
    this.#others = forwardTo
    for (const { events, url } of routes) for (const event of events) this.#byEvent.set(event, url)
    for (const url of new Set([...this.#byEvent.values(), ...(forwardTo === undefined ? [] : [forwardTo])])) {
      this.#forwarders.set(url, new Forwarder(url, options))
    }
  }

  /** Undefined for an event that is not forwarded. */
  urlOf({ event }: { readonly event: string | null }): string | undefined {
    return this.#byEvent.get(event ?? '') ?? this.#others
  }

  /** Posts a delivery; undefined if it is not forwarded. */
  send(delivery: Delivery, event: { readonly event: string | null }): Promise<Outcome> | undefined {
    return this.#forwarders.get(this.urlOf(event) ?? '')?.send(delivery)
  }

  /** Tries to connect to each URL, and returns a sentence for each URL that can't be reached. Posts nothing. */
  async unreachable(signal: AbortSignal): Promise<readonly string[]> {
    const tried = [...this.#forwarders.keys()].map(async (url) => {
      const why = await connectFault(url, signal)
      return why === undefined ? [] : [`${why}: ${shownUrl(url)}.`]
    })
    return (await Promise.all(tried)).flat()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#forwarders.values()].map((forwarder) => forwarder.close()))
  }
}

/** Milliseconds to wait for a connection. */
const patience = 2_000

/**
 * Tries to connect to the URL's host, and returns the reason why this fails: nothing listens, or the host does not
 * exist. Undefined in any other case.
 */
function connectFault(url: string, signal: AbortSignal): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = net.connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), signal })
  return new Promise<string | undefined>((resolve) => {
    socket.setTimeout(patience, () => resolve(undefined))
    socket.once('connect', () => resolve(undefined))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') resolve('Nothing listens there yet')
      else resolve(code === 'ENOTFOUND' ? 'The host does not exist' : undefined)
    })
  }).finally(() => socket.destroy())
}

/** The target's answer to a delivery. */
export interface Outcome {
  /** Status of the answer; null if no answer came: `error` then gives the reason. */
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
  /** The target URL. */
  readonly url?: string
  readonly contentType?: string | undefined
  /** Beginning of the answer's body. */
  readonly body: Buffer
}

export const isAccepted = ({ status }: Pick<Outcome, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** A URL without its query, which can contain a secret. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return pathname === '/' ? origin : `${origin}${pathname}`
}

/** Maximum number of characters in a displayed line of an answer. */
const longestLine = 300

/** First line with words in an answer: in the text of a page, or in the JSON. Null if there is none. */
export function firstLine({ body }: Pick<Outcome, 'body'>): string | null {
  const text = body.subarray(0, 8_192).toString()
  const isPage = text.trimStart().startsWith('<')
  const words = isPage
    ? text.replace(/<(style|script)\b.*?(<\/\1>|$)/gis, ' ').replace(/<[^>]*(>|$)/g, '\n')
    : compactJson(text)
  const line = words
    .split(/\r?\n/)
    .map((line) => line.trim())
    .find((line) => line !== '')
  return line?.slice(0, longestLine) ?? null
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

/** Maximum number of bytes to read from an answer. */
const mostBytes = 64 * 1024

/** Maximum number of concurrent connections to the target. */
const mostConnections = 64

/** Posts deliveries to one URL with their original headers and bytes. Follows no redirects. */
export class Forwarder {
  readonly url: string
  readonly #pool: Pool
  readonly #path: string
  readonly #timeout: number
  readonly #signing: Signing | undefined
  readonly #closing = new AbortController()

  constructor(url: string, { timeout, signing }: ForwardOptions) {
    const { origin, pathname, search } = new URL(url)
    this.url = url
    this.#path = `${pathname}${search}`
    this.#timeout = timeout
    this.#signing = signing
    this.#pool = new Pool(origin, {
      allowH2: false,
      connections: mostConnections,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout, signal: this.#closing.signal },
    })
  }

  /** Posts a delivery. Never rejects. */
  async send(delivery: Delivery): Promise<Outcome> {
    const { headers, body } = this.#signing ? signed(delivery, this.#signing) : delivery
    const start = monotonicClock()
    const durationMs = () => Math.round(monotonicClock() - start)
    const late = AbortSignal.timeout(this.#timeout)
    try {
      const answer = await this.#post(headers.flat(), body, AbortSignal.any([late, this.#closing.signal]))
      return { ...answer, url: this.url, error: null, durationMs: durationMs() }
    } catch (error) {
      const why = late.aborted ? `no answer within ${this.#timeout / 1000} s` : describe(error)
      return { status: null, url: this.url, error: why, durationMs: durationMs(), body: Buffer.alloc(0) }
    }
  }

  /** Ends all requests in flight. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('payctl stopped'))
    await this.#pool.destroy()
  }

  async #post(headers: string[], body: Buffer, signal: AbortSignal) {
    const sending = this.#pool.request({ method: 'POST', path: this.#path, headers, body, signal })
    // The package `undici` ignores the signal until the connection is made.
    const response = await Promise.race([sending, rejection(signal)])
    const type = response.headers['content-type']
    return {
      status: response.statusCode,
      contentType: Array.isArray(type) ? type[0] : type,
      body: await beginning(response),
    }
  }
}

/** A copy of the delivery with a new signature. */
function signed(delivery: Delivery, { header, secret }: Signing): Delivery {
  const others = delivery.headers.filter(([name]) => name.toLowerCase() !== header.toLowerCase())
  return { ...delivery, headers: [...others, [header, deliverySignature(delivery.body, secret)]] }
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

async function beginning({ body }: Dispatcher.ResponseData): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, mostBytes - size))
      size += chunk.length
      if (size >= mostBytes) break
    }
  } catch {
    // Ignores an error in the rest of the answer: the status is known.
  }
  return Buffer.concat(chunks)
}

const phrases: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
}

function describe(error: unknown): string {
  const { code = '', message } = error as Error & { readonly code?: string }
  return phrases[code] ?? (message || code || 'the connection failed')
}
