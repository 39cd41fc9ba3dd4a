import { rateLimitOf } from '../errors/service_errors.ts'
import { monotonicClock, pause, wallClock } from '../real_time.ts'
import type { Headers } from './header.ts'

const base = 200
const cap = 5_000
/** Longest wait that a server can ask for, in milliseconds; longer waits are shortened. */
const longest = 60_000

/** Milliseconds to wait after failed attempt number `attempt`, if the server gives no time: full jitter. */
export const backoff = (attempt: number): number => Math.random() * Math.min(cap, base * 2 ** (attempt - 1))

/** Time that the server asked the client to wait, in milliseconds; undefined if it did not ask. */
export function requestedDelay(status: number, headers: Headers): number | undefined {
  // Every answer has `X-RateLimit-Reset`, but this header is a reason to wait only after a 429.
  const until = retryAfter(headers['retry-after']) ?? (status === 429 ? reset(headers['x-ratelimit-reset']) : undefined)
  return until === undefined ? undefined : Math.min(Math.max(until, 0), longest)
}

/** `Retry-After`: whole seconds or an HTTP date. Date.parse alone would read `1.5` as a day in 2001. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  if (!httpDates.some((form) => form.test(value))) return undefined
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(date) ? undefined : date - wallClock()
}

/** The three date forms of RFC 9110, 5.6.7; the last form does not name a zone, but is also in GMT. */
const httpDates: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
]

/** `X-RateLimit-Reset`: unix seconds. */
const reset = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d+$/.test(value) ? Number(value) * 1000 - wallClock() : undefined

/** Milliseconds for which services are trusted to remember an idempotency key, unless the user gives another time. */
export const defaultKeyLife = 24 * 3_600_000

/**
 * Milliseconds after which a request that was given up can no longer arrive. This time is longer than the default
 * timeouts of gateways and load balancers: nginx and ALB 60 s, Cloudflare 100 s, Azure 240 s, older Apache 300 s.
 */
export const quietTime = 10 * 60_000

/**
 * True if the service may have forgotten the key of a request that this run has sent at `since` (milliseconds): the
 * machine may have slept between two attempts. For keys that live less than twice the quiet time, half their life
 * counts. After the clock was set back, the age is not known.
 */
export function mayBeForgotten(since: number, keyLife: number): boolean {
  const age = Date.now() - since
  return age > Math.max(keyLife - quietTime, keyLife / 2) || age < -quietTime
}

/**
 * Milliseconds by which the repeated request precedes the waiting requests, because its answer may ask for another
 * delay.
 */
const headStart = 100

/** Delays new requests while a failed request waits to be repeated: a rate limit or an outage affects all requests. */
export class RequestGate {
  readonly #signal: AbortSignal
  readonly #clock: () => number
  /** End of the delay, in milliseconds of the monotonic clock: the wall clock can be set back. */
  #until = 0

  /** `signal` ends the wait. */
  constructor(signal: AbortSignal, clock = monotonicClock) {
    this.#signal = signal
    this.#clock = clock
  }

  hold(ms: number): void {
    this.#until = Math.max(this.#until, this.#clock() + ms + headStart)
  }

  /** If the error comes from a rate limit, delays requests until the time that the error names. */
  heed(error: unknown): void {
    const limit = rateLimitOf(error)
    if (limit) this.hold(limit.retryAfter ?? 0)
  }

  /** Resolves when a request may be sent. */
  async released(): Promise<void> {
    for (let ms = this.left; ms > 0; ms = this.left) await pause(ms, this.#signal)
  }

  /** Milliseconds until requests may be sent. */
  get left(): number {
    return Math.max(this.#until - this.#clock(), 0)
  }
}
