import { type DeliverySettings, deliveryHeaders, deliverySignature } from '../../src/contract/index.ts'
import type { Clock, RealTimeout } from '../clock.ts'
import type { Delivery } from '../store/deliveries.ts'
import type { WorldSettings } from '../store/settings.ts'
import type { Subscription } from '../store/subscriptions.ts'
import { version } from '../version.ts'
import type { ReceivingFunction } from './hand_over.ts'
import { type Receivers, receiverAt } from './receivers.ts'
import type { Transport } from './transport.ts'

/** Result of an attempt. Status null: no answer. */
export interface Outcome {
  readonly status: number | null
  /** Reason why the attempt failed; null if the delivery was accepted. */
  readonly error: string | null
  /** The first bytes of the answer's body. */
  readonly answer: string | null
  /** True if the receiver may have received the delivery and acted on it, even without an answer in time. */
  readonly arrived: boolean
}

/** Maximum numbers of bytes of an answer that are stored, and that are read so that the connection can be reused. */
const keptBytes = 1024
const readBytes = 64 * 1024

/** Name in the User-Agent of every delivery. */
export const senderName = 'payctl-emulator'

/** Reason why a delivery can't be signed. */
const noSecret =
  'Not sent: only the hash of the subscription’s secret is stored, because deliveries were not signed when the subscription was made. Make the subscription again'

interface DeliveryMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface DeliverySenderOptions {
  readonly clock: Clock
  readonly transport: Transport
  readonly receivers: Receivers
  /** Function of this process that receives the deliveries to a URL; undefined: the deliveries go over the network. */
  readonly functionAt: (url: URL) => ReceivingFunction | undefined
  /** Settings of the emulator, which apply unless the world has its own. */
  readonly defaults: DeliverySettings
  readonly settings: WorldSettings
}

/** Posts the deliveries of one world. */
export class DeliverySender {
  readonly #clock: Clock
  readonly #transport: Transport
  readonly #receivers: Receivers
  readonly #functionAt: DeliverySenderOptions['functionAt']
  readonly #series: number
  readonly #defaults: DeliverySettings
  readonly #settings: WorldSettings
  readonly #underWay = new Set<RealTimeout>()
  /** Limits on attempts while the clock is moved, in milliseconds of real time. */
  readonly #limits = new Set<{ readonly ms: number }>()

  constructor({ clock, transport, receivers, functionAt, defaults, settings }: DeliverySenderOptions) {
    this.#series = settings.get('series')
    this.#defaults = defaults
    this.#settings = settings
    this.#clock = clock
    this.#transport = transport
    this.#receivers = receivers
    this.#functionAt = functionAt
  }

  /** Posts a delivery; `badSignature` makes the signature wrong if deliveries are signed. */
  async send(delivery: Delivery, subscription: Subscription, { badSignature = false } = {}): Promise<Outcome> {
    const { url, timeout } = subscription
    const message = this.#messageOf(delivery, subscription, badSignature)
    if (message === null) return { status: null, error: noSecret, answer: null, arrived: false }
    const target = new URL(url)
    const { origin, pathname, search } = target
    const attempt = this.#clock.timeout(this.#limitFor(timeout))
    const { signal } = attempt
    this.#underWay.add(attempt)
    let status: number | null = null
    let arrived = false
    try {
      const receiver = receiverAt(target, this.#transport.ownAddress)
      if (receiver !== null) {
        const arriving = this.#arriving(delivery, subscription, message)
        status = await this.#receivers.take(receiver, arriving, signal)
        return { status, error: failureOf(status), answer: '', arrived: true }
      }
      const take = this.#functionAt(target)
      if (take) {
        const { handOver, inTime } = await import('./hand_over.ts')
        arrived = true
        const response = await handOver(take, target, message, signal)
        status = response.status
        const answer = await inTime(firstBytes(response.body ?? []), signal)
        return { status, error: failureOf(status), answer, arrived }
      }
      const response = await this.#transport.post({
        origin,
        path: `${pathname}${search}`,
        ...message,
        signal,
      })
      status = response.statusCode
      const { headers, body } = response
      const isShort = Number(headers['content-length']) <= keptBytes
      const answer = await (isShort ? body.text() : firstBytes(body))
      return { status, error: failureOf(status), answer, arrived: true }
    } catch (error) {
      // The status counts even if the rest of the answer can't be read.
      if (status !== null) return { status, error: failureOf(status), answer: null, arrived: true }
      const reason = signal.aborted ? this.#late(timeout) : errorMessage(error)
      return { status, error: reason, answer: null, arrived: arrived || signal.aborted || wasConnected(error) }
    } finally {
      attempt.clear()
      this.#underWay.delete(attempt)
    }
  }

  /**
   * While `work` runs, limits each attempt, including attempts under way, to `ms` of real time; undefined: no limit.
   */
  async within<T>(ms: number | undefined, work: () => Promise<T>): Promise<T> {
    if (ms === undefined) return work()
    const limit = { ms }
    this.#limits.add(limit)
    const begun = [...this.#underWay]
    const time = this.#clock.timeout(ms)
    time.signal.addEventListener('abort', () => {
      for (const attempt of begun) attempt.expire()
    })
    try {
      return await work()
    } finally {
      time.clear()
      this.#limits.delete(limit)
    }
  }

  /**
   * Headers of a delivery as they would be sent now. Hides the values of the subscription's own headers, because they
   * authenticate deliveries.
   */
  shownHeaders(
    delivery: Pick<Delivery, 'seq' | 'attempt' | 'body'>,
    subscription: Subscription,
  ): Record<string, string> {
    const secret = Object.keys(subscription.headers ?? {})
    const { headers = {} } = this.#messageOf(delivery, subscription, false) ?? {}
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, secret.includes(name) ? '***' : value]),
    )
  }

  /** Null if the delivery must be signed but the secret is not stored, because only its hash is. */
  #messageOf(
    { seq, attempt, body }: Pick<Delivery, 'seq' | 'attempt' | 'body'>,
    { headers, signing_secret }: Subscription,
    badSignature: boolean,
  ): DeliveryMessage | null {
    const { plain, signature_header: name } = { ...this.#defaults, ...this.#settings.get('deliveries') }
    const own = {
      'Content-Type': 'application/json',
      'User-Agent': `${senderName}/${version}`,
      ...(!plain && {
        [deliveryHeaders.id]: webhookId(this.#series, seq),
        [deliveryHeaders.attempt]: String(attempt),
      }),
    }
    const custom = inUtf8(headers)
    if (name === null) return { headers: { ...custom, ...own }, body }
    if (signing_secret === null) return null
    const encoded = asPhpEncodes(body)
    const signature = deliverySignature(encoded, badSignature ? `${signing_secret}, but wrong` : signing_secret)
    return { headers: { ...without(name, custom), ...own, [name]: signature }, body: encoded }
  }

  /** The delivery in the form in which a built-in receiver gets it. */
  #arriving(
    { seq, attempt, event }: Delivery,
    { headers: custom, signing_secret: secret }: Subscription,
    { headers, body }: DeliveryMessage,
  ): Parameters<Receivers['take']>[1] {
    const hidden = new Set(Object.keys(custom ?? {}))
    const { signature_header: name } = { ...this.#defaults, ...this.#settings.get('deliveries') }
    const isValid = name !== null && secret !== null && headers[name] === deliverySignature(body, secret)
    return {
      delivery_id: webhookId(this.#series, seq),
      attempt,
      event,
      headers: Object.fromEntries(
        Object.entries(headers).map(([key, value]) => [key, hidden.has(key) ? '***' : value]),
      ),
      body,
      signature: name === null ? 'none' : isValid ? 'valid' : 'wrong',
    }
  }

  /**
   * Time limit of an attempt, in milliseconds: the limit of the subscription (`timeout`, in seconds), or the shorter
   * limit of a move of the clock.
   */
  #limitFor(timeout: number): number {
    return Math.min(timeout * 1000, ...[...this.#limits].map(({ ms }) => ms))
  }

  #late(timeout: number): string {
    const limit = this.#limitFor(timeout)
    if (limit === timeout * 1000) return `No answer within ${timeout} s`
    return `No answer within ${limit} ms, the limit while the clock is moved`
  }

  /** Aborts the deliveries under way. */
  close(): void {
    for (const attempt of this.#underWay) attempt.expire()
  }
}

/** True if the error is the loss of a connection that the receiver had accepted. */
const wasConnected = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Encodes header values as UTF-8: Node writes each character of a header as one byte. */
const inUtf8 = (headers: Subscription['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  )

/** Removes a header by name, ignoring case. */
const without = (name: string, headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([other]) => other.toLowerCase() !== name.toLowerCase()))

/**
 * JSON with the escapes of PHP's json_encode: `\/`, and `\u00e1` beyond ASCII. As with a real service in PHP, a
 * receiver that parses a body and serialises it again gets different bytes.
 */
const asPhpEncodes = (json: string): string =>
  json
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Number of digits that a delivery's number has within its series. */
const seqDigits = 12

/** The id of a delivery, which is the same for each attempt. Each world of an emulator has a separate series. */
export const webhookId = (series: number, seq: number): string =>
  `whd_${series === 0 ? '' : series}${String(seq).padStart(seqDigits, '0')}`

/** The seq of a delivery, if its id belongs to this series. */
export function seqOfWebhook(series: number, id: string): number | undefined {
  const seq = Number(id.slice(-seqDigits))
  return webhookId(series, seq) === id ? seq : undefined
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `Answered ${status}: redirects are not followed`
  return `Answered ${status}`
}

async function firstBytes(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  let kept = Buffer.alloc(0)
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    if (kept.length < keptBytes) kept = Buffer.concat([kept, chunk.subarray(0, keptBytes - kept.length)])
    if (read > readBytes) break
  }
  return kept.toString('utf8')
}

function errorMessage(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string }
  const words = message || (cause as Error | undefined)?.message || code || 'The connection failed'
  return words.slice(0, 500)
}
