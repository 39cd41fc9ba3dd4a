import { randomUUID } from 'node:crypto'
import type { Currency } from './database.ts'
import { NoAnswer, Refused } from './failures.ts'
import { mistaken } from './mistakes.ts'
import type { Session } from './session.ts'

export interface Money {
  readonly value: number
  readonly currency: Currency
}

export type PaymentStatus =
  | 'pending'
  | 'processing'
  | 'completed'
  | 'failed'
  | 'timeout'
  | 'service_unavailable'
  | 'validation_failed'
  | 'system_error'

export interface Payment {
  readonly id: string
  readonly idempotency_key: string
  readonly transfer_type: 'debit' | 'credit'
  readonly status: PaymentStatus
  readonly amount: Money
  readonly fee: Money | null
  readonly payer: { readonly iban: string | null; readonly phone_number?: string | null; readonly name: string }
  readonly error_message?: string | null
  readonly completed_at: string | null
}

interface Call {
  readonly body?: object
  /** Idempotency key of a payment, with which the request can be repeated safely. */
  readonly key?: string
  /** Number of times that the request is sent. Default: the bank's. */
  readonly attempts?: number
}

interface Answer {
  readonly status: number
  readonly message: string
  readonly data: unknown
  /** Milliseconds that the bank asks the program to wait before the next attempt. */
  readonly wait: number | undefined
}

export interface BankOptions {
  readonly baseUrl: string
  readonly session: Session
  readonly now: () => number
  readonly pause: (ms: number) => Promise<void>
  /** Number of times that a request is sent before the program gives up. Default: 5. */
  readonly attempts?: number
}

/** The bank's API. Repeats requests that are safe to repeat, and distinguishes a refusal from an unknown outcome. */
export class Bank {
  readonly #options: BankOptions
  /** Random part of the idempotency keys, for a program that keeps its keys in memory only. */
  readonly #memory = randomUUID()

  constructor(options: BankOptions) {
    this.#options = options
  }

  get<T>(path: string): Promise<T> {
    return this.#call('GET', path, {})
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.#call('POST', path, { body })
  }

  /** Throws Refused if no payment was made, and NoAnswer if the outcome is unknown. */
  pay(key: string, body: object, options: Pick<Call, 'attempts'> = {}): Promise<Payment> {
    return this.#call('POST', '/api/payments', { ...options, body, key })
  }

  /** Throws Refused if a payment would not be made. */
  check(key: string, body: object): Promise<unknown> {
    return this.#call('POST', '/api/payments/validate', { body, key })
  }

  /** Every payment and credit, newest first. */
  async *history(): AsyncGenerator<Payment> {
    let pages = 1
    for (let page = 1; page <= pages; page++) {
      const path = `/api/payments/history?per_page=100&page=${page}`
      const found = await this.get<{ data: Payment[]; last_page: number }>(path)
      pages = found.last_page
      yield* found.data
    }
  }

  async #call<T>(method: string, path: string, call: Call): Promise<T> {
    const { session, now, pause } = this.#options
    const { attempts = this.#options.attempts ?? 5 } = call
    const repeatable = method === 'GET' || call.key !== undefined
    let renewed = false
    // After a lost answer, a later refusal does not prove that no payment was made.
    let lost: unknown
    for (let attempt = 1; ; attempt++) {
      const token = session.token()
      let wait = 500 * 2 ** attempt
      try {
        const sent = mistaken(call, { now: now(), memory: this.#memory })
        const answer = await this.#ask(method, path, { ...sent, token })
        if (answer.status < 300) return answer.data as T
        if (answer.status === 401 && !renewed) {
          renewed = true
          await session.renew(token)
          attempt -= 1
          continue
        }
        if (answer.status >= 500) throw new NoAnswer(`${answer.status} ${answer.message}`)
        if (answer.status !== 429 || attempt === attempts) {
          if (lost !== undefined) throw new NoAnswer(answer.message, { cause: lost })
          throw new Refused(answer.status, answer.message)
        }
        wait = answer.wait ?? wait
      } catch (error) {
        if (!(error instanceof NoAnswer) || !repeatable || attempt === attempts) throw error
        lost = error
      }
      await pause(wait)
    }
  }

  async #ask(method: string, path: string, { body, key, token }: Call & { token: string }): Promise<Answer> {
    try {
      const response = await fetch(`${this.#options.baseUrl}${path}`, {
        method,
        headers: {
          Accept: 'application/json',
          Authorization: `Bearer ${token}`,
          ...(body && { 'Content-Type': 'application/json' }),
          ...(key !== undefined && { 'X-Idempotency-Key': key }),
        },
        signal: AbortSignal.timeout(10_000),
        ...(body && { body: JSON.stringify(body) }),
      })
      const { message, data } = (await response.json()) as { message: string; data: unknown }
      const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
      const wait = Number.isFinite(seconds) ? seconds * 1000 : undefined
      return { status: response.status, message, data, wait }
    } catch (cause) {
      throw new NoAnswer(`No answer to ${method} ${path}`, { cause })
    }
  }
}
