import net from 'node:net'
import type { EventName } from '../contract/event_names.ts'
import type { Delivery } from './delivery.ts'
import type { TailEvent } from './event.ts'
import { Forwarder, type Outcome, type Signing, shownUrl } from './forward.ts'

/** Events with a separate target URL. */
export interface Route {
  readonly events: readonly EventName[]
  readonly url: string
}

interface Options {
  /** Target URL of all other deliveries. */
  readonly forwardTo: string | undefined
  readonly routes: readonly Route[]
  /** Milliseconds for one delivery. */
  readonly timeout: number
  readonly signing: Signing | undefined
}

/** Posts deliveries to the target of their event. */
export class Routes {
  readonly #forwarders = new Map<string, Forwarder>()
  readonly #byEvent = new Map<string, string>()
  readonly #others: string | undefined

  constructor({ forwardTo, routes, timeout, signing }: Options) {
    this.#others = forwardTo
    for (const { events, url } of routes) for (const event of events) this.#byEvent.set(event, url)
    for (const url of new Set([...this.#byEvent.values(), ...(forwardTo === undefined ? [] : [forwardTo])])) {
      this.#forwarders.set(url, new Forwarder({ url, timeout, signing }))
    }
  }

  /** Undefined for an event that is not forwarded. */
  urlOf({ event }: Pick<TailEvent, 'event'>): string | undefined {
    return this.#byEvent.get(event ?? '') ?? this.#others
  }

  /** Posts a delivery; undefined if it is not forwarded. */
  send(delivery: Delivery, event: TailEvent): Promise<Outcome> | undefined {
    return this.#forwarders.get(this.urlOf(event) ?? '')?.send(delivery)
  }

  /** A sentence for each URL that can't be reached. Posts nothing. */
  async silent(signal: AbortSignal): Promise<readonly string[]> {
    const tried = [...this.#forwarders.keys()].map(async (url) => {
      const why = await unreachable(url, signal)
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

/** Reason why a connection to the URL's host fails; undefined if it succeeds, or on timeout. */
function unreachable(url: string, signal: AbortSignal): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = net.connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), signal })
  return new Promise<string | undefined>((resolve) => {
    socket.setTimeout(patience, () => resolve(undefined))
    socket.once('connect', () => resolve(undefined))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') resolve('Nobody listens there yet')
      else resolve(code === 'ENOTFOUND' ? 'There is no such host' : undefined)
    })
  }).finally(() => socket.destroy())
}
