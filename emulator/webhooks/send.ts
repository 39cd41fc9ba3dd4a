import type { buildConnector, Dispatcher, Pool } from 'undici'
import { deliveryHeaders } from '../../src/contract/index.ts'
import type { Clock } from '../clock.ts'
import type { OwnAddress } from '../own_address.ts'
import type { Delivery } from '../store/deliveries.ts'
import type { Subscription } from '../store/subscriptions.ts'
import { version } from '../version.ts'

/** What the receiver made of a delivery; without a status there was no answer. */
export interface Outcome {
  readonly status: number | null
  /** Why it does not count as delivered, or null. */
  readonly error: string | null
  /** The beginning of the answer's body. */
  readonly answer: string | null
}

/** How much of an answer is kept, and how much is read at all so that the connection can be used again. */
const keptBytes = 1024
const readBytes = 64 * 1024

/** Loaded with the first delivery, if not before: most worlds never send one. */
const undici = () => import('undici').catch(unloadable)

/** Loads what deliveries need while it is still there: an upgrade of payctl replaces the files under an emulator. */
export const prepareToSend = async (): Promise<void> => {
  await undici().catch(() => {}) // the delivery that needs it tells
}

function unloadable(cause: unknown): never {
  throw new Error('The emulator could not load a part of itself. Was payctl upgraded? Start it again.', { cause })
}

/** Posts deliveries. The only place of the emulator that opens connections, and it follows none elsewhere. */
export class Sender {
  readonly #clock: Clock
  readonly #ownAddress: OwnAddress
  readonly #pools = new Map<string, Pool>()
  #closed = false

  constructor({ clock, ownAddress }: { readonly clock: Clock; readonly ownAddress: OwnAddress }) {
    this.#clock = clock
    this.#ownAddress = ownAddress
  }

  async send(delivery: Delivery, { url, headers, timeout }: Subscription): Promise<Outcome> {
    const { origin, pathname, search } = new URL(url)
    const signal = this.#clock.timeout(timeout * 1000)
    let status: number | null = null
    try {
      const pool = await this.#pool(origin)
      const response = await pool.request({
        method: 'POST',
        path: `${pathname}${search}`,
        headers: {
          ...asBytes(headers),
          'Content-Type': 'application/json',
          'User-Agent': `payctl-emulator/${version}`,
          [deliveryHeaders.id]: webhookId(delivery.seq),
          [deliveryHeaders.attempt]: String(delivery.attempt),
        },
        body: delivery.body,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      status = response.statusCode
      return { status, error: refusalOf(status), answer: await beginning(response) }
    } catch (error) {
      // Who has said 2xx has said it; what goes wrong with the rest of the answer changes nothing.
      if (status !== null) return { status, error: refusalOf(status), answer: null }
      return { status, error: signal.aborted ? `No answer within ${timeout} s` : wordsOf(error), answer: null }
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()))
  }

  async #pool(origin: string): Promise<Pool> {
    const { Pool, buildConnector } = await undici()
    if (this.#closed) throw new Error('The emulator is stopping')
    let pool = this.#pools.get(origin)
    if (!pool) {
      pool = new Pool(origin, { allowH2: false, connect: this.#elsewhere(buildConnector({ allowH2: false })) })
      this.#pools.set(origin, pool)
    }
    return pool
  }

  /**
   * Connects to anything but the emulator. Only the connection shows where a URL leads: names resolve as they like, and
   * addresses are written in many ways.
   */
  #elsewhere(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error) return callback(error, null)
        const { remoteAddress = '', remotePort = 0 } = socket
        if (!this.#ownAddress.isReachedAt(remoteAddress, remotePort)) return callback(null, socket)
        socket.destroy()
        callback(new Error('The URL leads back to the emulator, which takes no deliveries'), null)
      })
  }
}

/** Node writes headers as Latin-1, a byte a character: here these are the bytes of UTF-8. */
const asBytes = (headers: Subscription['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  )

/** The same over all attempts at a delivery. */
export const webhookId = (seq: number): string => `whd_${String(seq).padStart(12, '0')}`

function refusalOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `Answered ${status}: redirects are not followed`
  return `Answered ${status}`
}

async function beginning({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (Number(headers['content-length']) <= keptBytes) return body.text()
  let kept = Buffer.alloc(0)
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    if (kept.length < keptBytes) kept = Buffer.concat([kept, chunk.subarray(0, keptBytes - kept.length)])
    if (read > readBytes) break
  }
  return kept.toString('utf8')
}

function wordsOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string }
  const words = message || (cause as Error | undefined)?.message || code || 'The connection failed'
  return words.slice(0, 500)
}
