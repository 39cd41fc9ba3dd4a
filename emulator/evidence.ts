import { isDeepStrictEqual } from 'node:util'
import type { EventName, PaidTwice } from '../src/contract/index.ts'
import type { Payment } from './domain/payment.ts'
import type { LoggedRequest, RequestLog } from './request_log.ts'
import type { Store } from './store/store.ts'

/** A second payment of one order counts as made twice if it came so soon, in milliseconds of the world's time. */
const orderWindow = 10 * 60_000

/** What a receiver did because of a delivery counts if it came so soon after the delivery began, likewise. */
const effectWindow = 60_000

/** Payments whose makers were not told are remembered, and deliveries that came twice. */
const remembered = 10_000

interface Dependencies {
  readonly store: Store
  readonly log: RequestLog
}

/** A payment that no whole answer has told its user of. */
interface Untold {
  readonly payment: Payment
  /** The one that made it. */
  readonly request: LoggedRequest
}

/** Two payments of one order, each with a key of its own. */
export interface Pair {
  readonly because: PaidTwice['because']
  /** The second one. */
  readonly payment: Payment
  readonly payments: readonly [string, string]
  readonly requests: readonly [number, number]
}

interface AcceptedDelivery {
  readonly seq: number
  readonly event: EventName
  readonly url: string
}

/** One write after each of two deliveries of one event. */
export interface Repeated {
  readonly delivery: AcceptedDelivery
  readonly requests: readonly [LoggedRequest, LoggedRequest]
}

/** An attempt at a delivery. */
export interface Begun {
  /** Number of the last request that had been answered by then. */
  readonly request: number
  /** Epoch milliseconds by the world's clock. */
  readonly at: number
}

/** What is known of how the callers of a world took what went wrong. Everything is about answers: what they meant, nobody knows. */
export class Evidence {
  readonly #store: Store
  readonly #log: RequestLog
  /** By id of the payment. */
  readonly #untold = new Map<string, Untold>()
  readonly #pairs: Pair[] = []
  /** Deliveries that were taken, and came again. */
  readonly #twice = new Map<number, { readonly delivery: AcceptedDelivery; readonly attempts: Begun[] }>()

  constructor({ store, log }: Dependencies) {
    this.#store = store
    this.#log = log
  }

  /** Takes a request that was logged; `answer` is what a read was answered with. */
  answered(request: LoggedRequest, answer: string | null): void {
    const { payment, replayed, endpoint, status } = request
    const whole = isWhole(request)
    if (whole && this.#untold.size === 0) return // as nearly always: nothing is read then
    if (whole && answer !== null) this.#tell(request.user, answer)
    if (endpoint !== 'payments.create' || payment === null || status >= 300) return
    const made = this.#store.payments.get(payment)
    if (made === undefined) return
    if (!replayed) this.#compare(made, request)
    if (whole) this.#untold.delete(payment)
    else if (!replayed) keep(this.#untold, payment, { payment: made, request })
  }

  /** Takes a delivery that its receiver accepted; `again`: it will come once more. */
  accepted({ again, ...delivery }: AcceptedDelivery & { readonly again: boolean }, begun: Begun): void {
    const before = this.#twice.get(delivery.seq)
    if (before) before.attempts.push(begun)
    else if (again) keep(this.#twice, delivery.seq, { delivery, attempts: [begun] })
  }

  /** Payments whose answer was lost and whose user was never told of them, oldest first. */
  get unresolved(): readonly Untold[] {
    return [...this.#untold.values()]
  }

  /** Deliveries that were taken more than once, and after each of which one user wrote the same. */
  get repeated(): readonly Repeated[] {
    const again = [...this.#twice.values()].filter(({ attempts }) => attempts.length > 1)
    const writes = again.length > 0 ? this.#writes() : []
    return again.flatMap(({ delivery, attempts }) => {
      const found = attempts.slice(1).map((second, at) => sameWrite(writes, [attempts[at] as Begun, second]))
      return found.flatMap((requests) => (requests ? [{ delivery, requests }] : []))
    })
  }

  /** Payments of one order that were made twice, and of which both moved money, or still will. */
  get paidTwice(): readonly Pair[] {
    const known = new Set(this.#pairs.map(({ payments }) => payments[1]))
    const repeated = this.repeated.flatMap(({ requests }): Pair[] => {
      const [first, second] = requests
      const payment = second.payment === null ? undefined : this.#store.payments.get(second.payment)
      if (second.endpoint !== 'payments.create' || first.payment === null || !payment) return []
      if (known.has(payment.id)) return []
      known.add(payment.id)
      const numbers = [first.number, second.number] as const
      return [{ because: 'delivered_twice', payment, payments: [first.payment, payment.id], requests: numbers }]
    })
    return [...this.#pairs, ...repeated].filter(({ payments }) => payments.every(this.#moves))
  }

  #moves = (id: string): boolean => {
    const status = this.#store.payments.get(id)?.status
    return status === 'pending' || status === 'processing' || status === 'completed'
  }

  /** Whatever an answer names, whoever got it knows. */
  #tell(user: number | null, answer: string): void {
    for (const [id, { payment }] of this.#untold) {
      if (payment.user === user && answer.includes(id)) this.#untold.delete(id)
    }
  }

  /** Looks for a payment of the same order that whoever made this one can't have known of. */
  #compare(made: Payment, request: LoggedRequest): void {
    const before = [...this.#untold.values()].findLast(({ payment }) => isSameOrder(payment, made))
    if (!before) return
    const { payment: first, request: lost } = before
    this.#pairs.push({
      because: 'answer_lost',
      payment: made,
      payments: [first.id, made.id],
      requests: [lost.number, request.number],
    })
    if (this.#pairs.length > remembered) this.#pairs.shift()
  }

  /** Successful writes that did something, oldest first. */
  #writes(): readonly LoggedRequest[] {
    return this.#log.list({
      limit: Number.POSITIVE_INFINITY,
      matches: ({ method, status, replayed, endpoint }) =>
        method !== 'GET' && status < 300 && !replayed && endpoint !== null && !endpoint.startsWith('oauth.'),
    })
  }
}

/** Whether its caller can have read the answer. */
const isWhole = ({ answered, fault }: LoggedRequest): boolean => answered && fault?.fault !== 'malformed'

function isSameOrder(first: Payment, second: Payment): boolean {
  const { user, account, amount, currency, description, payee } = second
  return (
    first.user === user &&
    first.account === account &&
    first.amount === amount &&
    first.currency === currency &&
    first.description === description &&
    first.payee.iban === payee.iban &&
    first.payee.phone === payee.phone &&
    second.created_at - first.created_at <= orderWindow
  )
}

/** A write between two deliveries, and the same after the second. */
function sameWrite(
  writes: readonly LoggedRequest[],
  [first, second]: readonly [Begun, Begun],
): readonly [LoggedRequest, LoggedRequest] | undefined {
  const soon = (write: LoggedRequest, { at }: Begun) => write.at - at <= effectWindow
  const effects = writes.filter((write) => write.number > first.request && soon(write, first))
  for (const effect of effects.filter(({ number }) => number <= second.request)) {
    const again = writes.find(
      (write) => write.number > second.request && soon(write, second) && isSameWrite(effect, write),
    )
    if (again) return [effect, again]
  }
  return undefined
}

const isSameWrite = (one: LoggedRequest, other: LoggedRequest): boolean =>
  one.user === other.user &&
  one.method === other.method &&
  one.path === other.path &&
  one.body !== undefined &&
  isDeepStrictEqual(one.body, other.body)

/** Adds an entry, the youngest; the oldest is forgotten where there are too many. */
function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.size > remembered ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}
