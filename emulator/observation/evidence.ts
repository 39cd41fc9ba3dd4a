import { isUnderWay } from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import type { Store } from '../store/store.ts'
import { neverPaid, paidAcrossRuns, type StoppedPayment } from './killed_runs.ts'
import { type CreatedPayment, create, isDone, isSameOrder, type Pair, pairOf } from './orders.ts'
import { type ArrivedDelivery, repeatedEffects } from './repeated_effects.ts'
import {
  type AcceptedDelivery,
  type Attempt,
  type AttemptStart,
  type RepeatedWrite,
  repeatedWrites,
} from './repeated_writes.ts'
import type { LoggedRequest, RequestLog } from './request_log.ts'
import { type Suspicion, Suspicions } from './suspicions.ts'

/** Time allowed for a program to learn of a payment from an accepted delivery, in milliseconds of the world's time. */
const timeToLearn = 60_000

/** Maximum length of each list of the evidence, such as the lost payments or the orders. */
const maxEntries = 10_000

interface Dependencies {
  readonly store: Store
  readonly log: RequestLog
}

/** An order with a lost answer, reconstructed from the requests: its payments, with different keys, oldest first. */
type Order = readonly CreatedPayment[]

/**
 * Evidence of how the callers of a world handled faults. The evidence comes only from requests, answers and deliveries:
 * the callers' intentions are unknown.
 */
export class Evidence {
  readonly #store: Store
  readonly #log: RequestLog
  /** Payments whose answer was lost, and that no complete answer has reported to their users, by id. */
  readonly #unreported = new Map<string, CreatedPayment>()
  /** Orders; the order with the latest payment is last. */
  #orders: Order[] = []
  /** Deliveries that were accepted and sent again, by seq. */
  readonly #resent = new Map<number, { readonly delivery: AcceptedDelivery; readonly attempts: Attempt[] }>()
  /** Events that a receiver accepted, and number of accepted attempts to deliver them, by event type and receiver. */
  readonly #deliveryCounts = new Map<string, { readonly events: Set<number>; attempts: number }>()

  readonly #suspicions: Suspicions
  /** Start of the first accepted delivery about a payment, by seq of the payment. */
  readonly #announced = new Map<number, number>()
  /** Deliveries that may have reached their receivers, by seq. */
  readonly #arrived = new Map<number, ArrivedDelivery>()

  constructor({ store, log }: Dependencies) {
    this.#store = store
    this.#log = log
    this.#suspicions = new Suspicions(log)
  }

  /** Records a request; `answer` is the body of a read's answer. */
  answered(request: LoggedRequest, answer: string | null): void {
    const { payment, replayed, endpoint } = request
    const isRead = isReadable(request)
    if (isRead && this.#unreported.size + this.#orders.length === 0) return // the usual case, in which no row is read
    if (isRead && answer !== null) this.#markReported(request.user, answer)
    if (endpoint !== create || payment === null || !isDone(request)) return
    const found = this.#store.payments.get(payment)
    if (found === undefined) return
    const created: CreatedPayment = { payment: found, request }
    if (replayed) {
      this.#splitOrder(payment)
      this.#suspicions.drop(payment)
    } else {
      this.#addAttempt(created)
      this.#suspect(created, this.#unreported.values())
    }
    if (isRead) this.#unreported.delete(payment)
    else if (!replayed) this.#addLost(created)
  }

  /** Records an attempt at a delivery that may have reached its receiver. */
  arrivedDelivery(delivery: AcceptedDelivery, { request: since }: AttemptStart): void {
    const before = this.#arrived.get(delivery.seq)
    putNewest(this.#arrived, delivery.seq, {
      delivery: before?.delivery ?? delivery,
      since: before?.since ?? since,
      attempts: (before?.attempts ?? 0) + 1,
    })
  }

  /** Records a delivery that its receiver accepted; `again`: it will be sent again. */
  accepted(
    { again, payment, ...delivery }: AcceptedDelivery & { readonly again: boolean; readonly payment: number },
    start: AttemptStart,
  ): void {
    if (!this.#announced.has(payment)) putNewest(this.#announced, payment, start.at)
    const receiver = `${delivery.event} ${delivery.url}`
    const counts = this.#deliveryCounts.get(receiver) ?? { events: new Set(), attempts: 0 }
    counts.events.add(delivery.seq)
    counts.attempts += 1
    putNewest(this.#deliveryCounts, receiver, counts)
    const before = this.#resent.get(delivery.seq)
    const attempt = { ...start, end: this.#log.last }
    if (before) before.attempts.push(attempt)
    else if (again) putNewest(this.#resent, delivery.seq, { delivery, attempts: [attempt] })
  }

  /** Payments whose answer was lost and that no other answer has reported to their users, oldest first. */
  get unresolved(): readonly CreatedPayment[] {
    return [...this.#unreported.values()]
  }

  /** Writes that a receiver repeated because a delivery came again. */
  get repeated(): readonly RepeatedWrite[] {
    const again = [...this.#resent.values()].filter(({ attempts }) => attempts.length > 1)
    const arrived = [...this.#arrived.values()]
    if (again.length === 0 && !arrived.some(({ attempts }) => attempts > 1)) return []
    const writes = this.#writes()
    const inTime = repeatedWrites(again, writes, ({ event, url }) => {
      const { events, attempts } = this.#deliveryCounts.get(`${event} ${url}`) ?? { events: new Set(), attempts: 0 }
      return { events: events.size, attempts }
    })
    const known = new Set(inTime.map(({ requests: [, second] }) => second))
    // If a payment repeats a payment whose answer was lost, the lost answer is the cause, not the delivery.
    const lost = new Set(this.#lostPairs.map(({ payments: [, second] }) => second))
    const effects = repeatedEffects(
      arrived,
      writes.filter(({ payment }) => payment === null || !lost.has(payment)),
      ({ seq }) => {
        const body = this.#store.deliveries.get(seq)?.body
        return body === undefined ? undefined : JSON.parse(body)
      },
    )
    return [...inTime, ...effects.filter(({ requests: [, second] }) => !known.has(second))]
  }

  /** Pairs of payments of one order: the answer to the first was lost, so the caller made the second. */
  get #lostPairs(): readonly Pair[] {
    return this.#orders.flatMap((order) => successivePairs(order.filter(({ payment }) => this.#moves(payment.id))))
  }

  /** Pairs of payments of an order that was paid twice: both payments moved money, or still may. */
  get paidTwice(): readonly Pair[] {
    const pairs = [...this.#lostPairs]
    const known = new Set(pairs.map(({ payments }) => payments[1]))
    for (const pair of paidAcrossRuns(this.#log, this.#store, this.#moves)) {
      if (!known.has(pair.payments[1])) pairs.push(pair)
      known.add(pair.payments[1])
    }
    const repeated = this.repeated.flatMap(({ requests }): Pair[] => {
      const [first, second] = requests
      const payment = second.payment === null ? undefined : this.#store.payments.get(second.payment)
      if (second.endpoint !== create || first.payment === null || !payment) return []
      if (known.has(payment.id)) return []
      known.add(payment.id)
      const numbers = [first.number, second.number] as const
      const payments = [first.payment, payment.id] as const
      return payments.every(this.#moves) ? [{ because: 'delivered_twice', payment, payments, requests: numbers }] : []
    })
    return [...pairs, ...repeated]
  }

  /**
   * Payments that may repeat a payment with a lost answer. `isIgnored` is true if nobody ever asked about the first
   * payment or learned of it from a delivery, and the second was the user's next payment.
   */
  get suspected(): readonly (Suspicion & { readonly isIgnored: boolean })[] {
    const paidTwice = new Set(this.paidTwice.map(({ payments: [, second] }) => second))
    return this.#suspicions.all.flatMap((pair) => {
      const [first, second] = [pair.first.payment.id, pair.second.payment.id]
      if (!this.#moves(first) || !this.#moves(second) || paidTwice.has(second)) return []
      const isAnnounced = pair.because === 'after_delivery'
      const isKnown = isAnnounced || !this.#unreported.has(first) || this.#suspicions.isRepeated(pair)
      return [{ ...pair, isIgnored: !isKnown && this.#suspicions.isNext(pair) }]
    })
  }

  /** Payments that a kill prevented, and that the program did not make afterwards either. */
  get neverPaid(): readonly StoppedPayment[] {
    return neverPaid(this.#log, this.#store)
  }

  #moves = (id: string): boolean => {
    const status = this.#store.payments.get(id)?.status
    return isUnderWay(status) || status === 'completed'
  }

  /** A user who gets an answer knows of every payment that the answer contains. */
  #markReported(user: number | null, answer: string): void {
    for (const [id, { payment }] of this.#unreported) {
      if (payment.user === user && answer.includes(id)) this.#unreported.delete(id)
    }
  }

  #suspect(second: CreatedPayment, lost: Iterable<CreatedPayment>): void {
    const isAnnounced = (one: CreatedPayment, other: CreatedPayment) => this.#wasAnnounced(one.payment, other.payment)
    this.#suspicions.compare(second, { lost, isPaid: this.#isPaid, isAnnounced })
  }

  /** Adds a payment to the order that it repeats, if any. */
  #addAttempt(created: CreatedPayment): void {
    const order = this.#orders.findLast((order) => this.#isOpen(order, created.payment))
    if (order) this.#replaceOrder(order, [...order, created])
  }

  /**
   * True if a payment may be another attempt at an order: its user does not know of an earlier, equal payment. False
   * once the user knows of a payment that has not failed: the order is then paid, and an equal payment belongs to a new
   * order.
   */
  #isOpen(order: Order, payment: Payment): boolean {
    const isUnreported = ({ payment: { id } }: CreatedPayment) => this.#unreported.has(id)
    const isRepeated = (created: CreatedPayment) =>
      isUnreported(created) && isSameOrder(created.payment, payment) && !this.#wasAnnounced(created.payment, payment)
    if (!order.some(isRepeated)) return false
    return order.every((created) => isUnreported(created) || !this.#moves(created.payment.id))
  }

  /** True if the user of a payment with a lost answer knows that a later attempt at the same order succeeded. */
  #isPaid = (lost: CreatedPayment): boolean => {
    const order = this.#orders.find((each) => each.some(({ payment: { id } }) => id === lost.payment.id)) ?? []
    const later = [...order, ...this.#suspicions.attemptsAfter(lost)]
    return later.some(({ payment: { id } }) => !this.#unreported.has(id) && this.#moves(id))
  }

  /** True if a receiver accepted a delivery about a payment at least `timeToLearn` before the next payment was made. */
  #wasAnnounced = ({ seq }: Payment, next: Payment): boolean =>
    next.created_at - (this.#announced.get(seq) ?? next.created_at) >= timeToLearn

  /**
   * Splits an order after a payment whose key is repeated. A request with a repeated key gets the first answer, so the
   * user then knows of the payment. Later payments belong to another order.
   */
  #splitOrder(payment: string): void {
    const order = this.#orders.find((each) => each.some((created) => created.payment.id === payment))
    const after = 1 + (order ?? []).findIndex((created) => created.payment.id === payment)
    if (order && after < order.length) this.#replaceOrder(order, order.slice(0, after), order.slice(after))
  }

  /**
   * Records a payment whose answer was lost, and adds payments of the same order that were made while the request of
   * this payment was under way.
   */
  #addLost(lost: CreatedPayment): void {
    putNewest(this.#unreported, lost.payment.id, lost)
    const order = this.#orders.find((each) => each.includes(lost)) ?? [lost]
    const meanwhile = this.#log
      .list({
        since: lost.request.before,
        before: lost.request.number,
        matches: (other) => other.endpoint === create && isDone(other) && !other.replayed,
      })
      .flatMap((request): Order => {
        const payment = request.payment === null ? undefined : this.#store.payments.get(request.payment)
        return payment ? [{ payment, request }] : []
      })
    const all = new Set(this.#orders.flat().map(({ payment }) => payment.id))
    let found = order
    for (const other of meanwhile) {
      this.#suspect(other, [lost])
      if (!all.has(other.payment.id) && this.#isOpen(found, other.payment)) found = [...found, other]
    }
    this.#replaceOrder(order, found)
  }

  /** Replaces an order with others, which become the latest orders. Drops the oldest orders beyond the limit. */
  #replaceOrder(order: Order, ...others: readonly Order[]): void {
    this.#orders = [...this.#orders.filter((each) => each !== order), ...others].slice(-maxEntries)
  }

  /** Successful writes with an effect, oldest first. Validations and failed payments have no effect. */
  #writes(): readonly LoggedRequest[] {
    return this.#log.list({
      matches: (request) => {
        const { method, replayed, endpoint, payment } = request
        const isWrite = method !== 'GET' && endpoint !== null && !/^oauth|validate$/.test(endpoint)
        return isWrite && isDone(request) && !replayed && (payment === null || this.#moves(payment))
      },
    })
  }
}

/** Pairs each payment of an order with the payment before it. */
const successivePairs = (order: Order): readonly Pair[] =>
  order.slice(1).map((second, at) => pairOf('answer_lost', order[at] as CreatedPayment, second))

/** True if the caller may have read the answer. */
const isReadable = ({ answered, fault }: LoggedRequest): boolean => answered && fault?.fault !== 'malformed'

/** Adds an entry as the newest, and drops the oldest beyond the limit. */
function putNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.size > maxEntries ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}
