import type { Suspected } from '../../src/contract/index.ts'
import { type CreatedPayment, create, isDone, isSameOrder, mayBeSameOrder } from './orders.ts'
import type { LoggedRequest, RequestLog } from './request_log.ts'

/** Two payments: the second may repeat the first, whose answer was lost. */
export interface Suspicion {
  readonly because: Suspected['because']
  readonly first: CreatedPayment
  readonly second: CreatedPayment
}

interface Comparison {
  readonly lost: Iterable<CreatedPayment>
  /** True if the user knows that a later attempt succeeded, and so needs no further attempt. */
  readonly isPaid: (one: CreatedPayment) => boolean
  /** True if a receiver accepted a delivery about the first payment long before the second payment was made. */
  readonly isAnnounced: (first: CreatedPayment, second: CreatedPayment) => boolean
}

/** Maximum number of suspicions that are kept. */
const maxSuspicions = 10_000

/**
 * Pairs of payments that may be two attempts at one order. The answer to the first payment was lost. Either the
 * descriptions differ, or a webhook may have told the user of the first payment before the user made the second.
 */
export class Suspicions {
  readonly #log: RequestLog
  #pairs: Suspicion[] = []

  constructor(log: RequestLog) {
    this.#log = log
  }

  get all(): readonly Suspicion[] {
    return this.#pairs
  }

  /** Records a suspicion if a payment may repeat one of the payments whose answers were lost. */
  compare(second: CreatedPayment, { lost, isPaid, isAnnounced }: Comparison): void {
    const isAlike = (one: CreatedPayment): boolean =>
      isAnnounced(one, second) ? isSameOrder(one.payment, second.payment) : mayBeSameOrder(one.payment, second.payment)
    const first = [...lost].findLast((one) => isAlike(one) && !isPaid(one))
    if (!first) return
    const suspicion: Suspicion = {
      because: isAnnounced(first, second) ? 'after_delivery' : 'other_description',
      first,
      second,
    }
    this.#pairs = [...this.#pairs, suspicion].slice(-maxSuspicions)
  }

  /** Payments that may be later attempts at the order that a payment belongs to. */
  attemptsAfter({ payment: { id } }: CreatedPayment): readonly CreatedPayment[] {
    return this.#pairs.filter(({ first }) => first.payment.id === id).map(({ second }) => second)
  }

  /** Drops the suspicions about a payment whose key was sent again: the later payments are then other orders. */
  drop(payment: string): void {
    this.#pairs = this.#pairs.filter(({ first }) => first.payment.id !== payment)
  }

  /**
   * True if the user sent the key of the first payment again: even a refused request shows that the user repeats keys.
   */
  isRepeated({ first: { request: one } }: Suspicion): boolean {
    const again = { since: one.number, matches: ({ key, user }: LoggedRequest) => key === one.key && user === one.user }
    return one.key !== null && this.#log.list(again).length > 0
  }

  /** True if the second payment was the next payment that its user made, as another attempt usually is. */
  isNext({ first: { request: one }, second: { request: other } }: Suspicion): boolean {
    const [since, before] = one.number < other.number ? [one.number, other.number] : [other.number, one.number]
    const between = this.#log.list({
      since,
      before,
      matches: ({ endpoint, user, replayed, ...rest }) =>
        endpoint === create && user === one.user && !replayed && isDone(rest),
    })
    return between.length === 0
  }
}
