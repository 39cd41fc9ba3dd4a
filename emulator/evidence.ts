import { isUnderWay, type PaidTwice } from '../src/contract/index.ts'
import { defaultDescriptions } from './domain/initiate.ts'
import type { Payment } from './domain/payment.ts'
import { type AcceptedDelivery, type Attempt, type Begun, type Repeated, repeatedWrites } from './repeated_writes.ts'
import type { LoggedRequest, RequestLog } from './request_log.ts'
import type { Store } from './store/store.ts'

/**
 * A second payment of one order counts as made twice if it came so soon, in milliseconds of the world's time: a job that
 * runs again some hours later pays the same, that of the next day need not.
 */
const orderWindow = 12 * 3_600_000

/** Amounts of one order differ by less, in minor units: what rounding makes of them. */
const roundedBy = 100

/** Payments whose makers were not told are remembered, deliveries that came twice, and receivers. */
const remembered = 10_000

interface Dependencies {
  readonly store: Store
  readonly log: RequestLog
}

/** A payment, and the request that made it. */
interface Made {
  readonly payment: Payment
  readonly request: LoggedRequest
}

/** An order of which an answer was lost, as far as can be told: its payments, each with a key of its own, in the order of the attempts. */
type Order = readonly Made[]

/** Two payments of one order, each with a key of its own. */
export interface Pair {
  readonly because: PaidTwice['because']
  /** The second one. */
  readonly payment: Payment
  readonly payments: readonly [string, string]
  readonly requests: readonly [number, number]
}

/** How often an event of one name came to a receiver that took it. */
interface Taken {
  readonly events: Set<number>
  attempts: number
}

/** What is known of how the callers of a world took what went wrong. Everything is about answers: what they meant, nobody knows. */
export class Evidence {
  readonly #store: Store
  readonly #log: RequestLog
  /** Payments that no whole answer has told their users of, by id. */
  readonly #untold = new Map<string, Made>()
  /** The one with the latest payment last. */
  #orders: Order[] = []
  /** Deliveries that were taken, and came again. */
  readonly #twice = new Map<number, { readonly delivery: AcceptedDelivery; readonly attempts: Attempt[] }>()
  /** By receiver and event. */
  readonly #taken = new Map<string, Taken>()

  constructor({ store, log }: Dependencies) {
    this.#store = store
    this.#log = log
  }

  /** Takes a request that was logged; `answer` is what a read was answered with. */
  answered(request: LoggedRequest, answer: string | null): void {
    const { payment, replayed, endpoint } = request
    const whole = isWhole(request)
    if (whole && this.#untold.size + this.#orders.length === 0) return // as nearly always: nothing is read then
    if (whole && answer !== null) this.#tell(request.user, answer)
    if (endpoint !== 'payments.create' || payment === null || !isDone(request)) return
    const found = this.#store.payments.get(payment)
    if (found === undefined) return
    const made: Made = { payment: found, request }
    if (replayed) this.#split(payment)
    else this.#attempt(made)
    if (whole) this.#untold.delete(payment)
    else if (!replayed) this.#lose(made)
  }

  /** Takes a delivery that its receiver accepted; `again`: it will come once more. */
  accepted({ again, ...delivery }: AcceptedDelivery & { readonly again: boolean }, begun: Begun): void {
    const receiver = `${delivery.event} ${delivery.url}`
    const taken = this.#taken.get(receiver) ?? { events: new Set(), attempts: 0 }
    taken.events.add(delivery.seq)
    taken.attempts += 1
    keep(this.#taken, receiver, taken)
    const before = this.#twice.get(delivery.seq)
    const attempt = { ...begun, end: this.#log.last }
    if (before) before.attempts.push(attempt)
    else if (again) keep(this.#twice, delivery.seq, { delivery, attempts: [attempt] })
  }

  /** Payments whose answer was lost and whose user was never told of them, oldest first. */
  get unresolved(): readonly Made[] {
    return [...this.#untold.values()]
  }

  /** Deliveries that were taken more than once, and after each of which one user wrote the same. */
  get repeated(): readonly Repeated[] {
    const again = [...this.#twice.values()].filter(({ attempts }) => attempts.length > 1)
    if (again.length === 0) return []
    return repeatedWrites(again, this.#writes(), ({ event, url }) => {
      const { events, attempts } = this.#taken.get(`${event} ${url}`) ?? { events: new Set(), attempts: 0 }
      return { events: events.size, attempts }
    })
  }

  /** Payments of one order that were made twice, and of which both moved money, or still will. */
  get paidTwice(): readonly Pair[] {
    const pairs = this.#orders.flatMap((order) => pairsOf(order.filter(({ payment }) => this.#moves(payment.id))))
    const known = new Set(pairs.map(({ payments }) => payments[1]))
    const repeated = this.repeated.flatMap(({ requests }): Pair[] => {
      const [first, second] = requests
      const payment = second.payment === null ? undefined : this.#store.payments.get(second.payment)
      if (second.endpoint !== 'payments.create' || first.payment === null || !payment) return []
      if (known.has(payment.id)) return []
      known.add(payment.id)
      const numbers = [first.number, second.number] as const
      const payments = [first.payment, payment.id] as const
      return payments.every(this.#moves) ? [{ because: 'delivered_twice', payment, payments, requests: numbers }] : []
    })
    return [...pairs, ...repeated]
  }

  #moves = (id: string): boolean => {
    const status = this.#store.payments.get(id)?.status
    return isUnderWay(status) || status === 'completed'
  }

  /** Whatever an answer names, whoever got it knows. */
  #tell(user: number | null, answer: string): void {
    for (const [id, { payment }] of this.#untold) {
      if (payment.user === user && answer.includes(id)) this.#untold.delete(id)
    }
  }

  /** Adds a payment to the order that it is another attempt at, if there is one. */
  #attempt(made: Made): void {
    const order = this.#orders.findLast((order) => this.#isOpen(order, made.payment))
    if (order) this.#replace(order, [...order, made])
  }

  /**
   * Whether a payment may be another attempt at an order: its maker can't have known of one before. Not once it was told
   * of one that has not failed: the order is paid then, and what looks the same is another.
   */
  #isOpen(order: Order, payment: Payment): boolean {
    const isUntold = ({ payment: { id } }: Made) => this.#untold.has(id)
    if (!order.some((made) => isUntold(made) && isSameOrder(made.payment, payment))) return false
    return order.every((made) => isUntold(made) || !this.#moves(made.payment.id))
  }

  /** Who repeats the key of an attempt after others knows of all: what came after that is another order. */
  #split(payment: string): void {
    const order = this.#orders.find((each) => each.some((made) => made.payment.id === payment))
    const after = 1 + (order ?? []).findIndex((made) => made.payment.id === payment)
    if (order && after < order.length) this.#replace(order, order.slice(0, after), order.slice(after))
  }

  /** Takes a payment whose answer was lost, with what was paid of its order while that was under way. */
  #lose(lost: Made): void {
    keep(this.#untold, lost.payment.id, lost)
    const order = this.#orders.find((each) => each.includes(lost)) ?? [lost]
    const meanwhile = this.#log
      .list({
        since: lost.request.before,
        before: lost.request.number,
        matches: (other) => other.endpoint === 'payments.create' && isDone(other) && !other.replayed,
      })
      .flatMap((request): Order => {
        const payment = request.payment === null ? undefined : this.#store.payments.get(request.payment)
        return payment ? [{ payment, request }] : []
      })
    const all = new Set(this.#orders.flat().map(({ payment }) => payment.id))
    let found = order
    for (const other of meanwhile) {
      if (!all.has(other.payment.id) && this.#isOpen(found, other.payment)) found = [...found, other]
    }
    this.#replace(order, found)
  }

  /** Puts orders in the place of one, as the latest. The oldest is forgotten where there are too many. */
  #replace(order: Order, ...others: readonly Order[]): void {
    this.#orders = [...this.#orders.filter((each) => each !== order), ...others].slice(-remembered)
  }

  /** Successful writes that did something, oldest first. A validation does nothing. */
  #writes(): readonly LoggedRequest[] {
    return this.#log.list({
      matches: (request) => {
        const { method, replayed, endpoint } = request
        const isWrite = method !== 'GET' && endpoint !== null && !/^oauth|validate$/.test(endpoint)
        return isWrite && isDone(request) && !replayed
      },
    })
  }
}

/** Each payment of an order with the one before it. */
const pairsOf = (order: Order): readonly Pair[] =>
  order.slice(1).map((second, at) => {
    const first = order[at] as Made
    return {
      because: 'answer_lost',
      payment: second.payment,
      payments: [first.payment.id, second.payment.id],
      requests: [first.request.number, second.request.number],
    }
  })

/** Whether its caller can have read the answer. */
const isWhole = ({ answered, fault }: LoggedRequest): boolean => answered && fault?.fault !== 'malformed'

/** Whether what it asked for was done; a connection that was reset had nothing done. */
const isDone = ({ status }: LoggedRequest): boolean => status !== null && status < 300

/** By any rail: the order is to pay somebody. Whoever says what it is for may have rounded the amount otherwise. */
function isSameOrder(first: Payment, second: Payment): boolean {
  const { user, account, amount, currency, payee } = second
  const purpose = purposeOf(second)
  const apart = Math.abs(first.amount - amount)
  const isSameAddress = first.payee.iban === payee.iban && first.payee.phone === payee.phone
  const isOtherRail = first.channel !== second.channel && first.payee.document_number === payee.document_number
  return (
    first.user === user &&
    first.account === account &&
    (apart === 0 || (apart < roundedBy && purpose !== null)) &&
    first.currency === currency &&
    purposeOf(first) === purpose &&
    (isSameAddress || isOtherRail) &&
    Math.abs(second.created_at - first.created_at) <= orderWindow
  )
}

/** What the payer said that a payment is for; null: nothing. */
const purposeOf = ({ description, channel }: Payment): string | null =>
  description === defaultDescriptions[channel] ? null : description

/** Adds an entry, the youngest; the oldest is forgotten where there are too many. */
function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.size > remembered ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}
