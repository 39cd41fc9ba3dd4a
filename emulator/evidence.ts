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

/** How often an event of one name came to a receiver that took it. */
interface Taken {
  readonly events: Set<number>
  attempts: number
}

/** What is known of how the callers of a world took what went wrong. Everything is about answers: what they meant, nobody knows. */
export class Evidence {
  readonly #store: Store
  readonly #log: RequestLog
  /** By id of the payment. */
  readonly #untold = new Map<string, Untold>()
  #pairs: Pair[] = []
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
    if (whole && this.#untold.size + this.#pairs.length === 0) return // as nearly always: nothing is read then
    if (whole && answer !== null) this.#tell(request.user, answer)
    if (endpoint !== 'payments.create' || payment === null || !isDone(request)) return
    // Who repeats the first key after the second payment knows both: these are two orders.
    if (replayed) this.#pairs = this.#pairs.filter(({ payments: [first] }) => first !== payment)
    const made = this.#store.payments.get(payment)
    if (made === undefined) return
    if (!replayed) this.#compare(made, request)
    if (whole) this.#untold.delete(payment)
    else if (!replayed) this.#lose(made, request)
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
  get unresolved(): readonly Untold[] {
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
    return isUnderWay(status) || status === 'completed'
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
    if (before) this.#addPair(before, { payment: made, request })
  }

  /** Takes a payment whose answer was lost, and looks for one of the same order that was made while that was under way. */
  #lose(payment: Payment, request: LoggedRequest): void {
    keep(this.#untold, payment.id, { payment, request })
    const meanwhile = this.#log.list({
      since: request.before,
      limit: Number.POSITIVE_INFINITY,
      matches: (other) =>
        other.number < request.number && other.endpoint === 'payments.create' && isDone(other) && !other.replayed,
    })
    for (const other of meanwhile) {
      const made = other.payment === null ? undefined : this.#store.payments.get(other.payment)
      const isPair = made && !this.#untold.has(made.id) && isSameOrder(payment, made)
      if (isPair) this.#addPair({ payment, request }, { payment: made, request: other })
    }
  }

  #addPair(lost: Untold, second: Untold): void {
    this.#pairs.push({
      because: 'answer_lost',
      payment: second.payment,
      payments: [lost.payment.id, second.payment.id],
      requests: [lost.request.number, second.request.number],
    })
    if (this.#pairs.length > remembered) this.#pairs.shift()
  }

  /** Successful writes that did something, oldest first. A validation does nothing. */
  #writes(): readonly LoggedRequest[] {
    return this.#log.list({
      limit: Number.POSITIVE_INFINITY,
      matches: (request) => {
        const { method, replayed, endpoint } = request
        const isWrite = method !== 'GET' && endpoint !== null && !/^oauth|validate$/.test(endpoint)
        return isWrite && isDone(request) && !replayed
      },
    })
  }
}

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
