import type { EventName } from '../../../src/contract/index.ts'
import { type Expected, refused } from './exchange.ts'
import { someText } from './matching.ts'
import type { Payment } from './records.ts'

/**
 * Refuses requests to a path, in which `*` matches one segment. The first `after` requests pass, then the rule fires
 * `times` times; null: always.
 */
interface RequestRule {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly after: number
  readonly times: number | null
}

/** Applies to all deliveries of an event, until a caller clears the rules. */
interface DeliveryRule {
  readonly event: EventName | '*'
  readonly fault: 'drop' | 'duplicate'
}

/** A moment between two requests: its time, and the number of payments so far. */
export interface Moment {
  readonly at: number
  readonly payments: number
}

interface Counted {
  readonly rule: RequestRule
  matched: number
}

interface InForce {
  readonly rule: DeliveryRule
  readonly from: Moment
  until: Moment | null
}

/** Seconds of Retry-After, by status. */
const retryAfter: Readonly<Record<number, string>> = { 429: '1' }

/** Fault rules, oldest first. Source: interface of the emulator, `control.faults.add`. */
export class Rules {
  #requests: Counted[] = []
  readonly #deliveries: InForce[] = []

  refuse(rule: RequestRule): void {
    this.#requests.push({ rule, matched: 0 })
  }

  spoil(rule: DeliveryRule, from: Moment): void {
    this.#deliveries.push({ rule, from, until: null })
  }

  clear(until: Moment): void {
    this.#requests = []
    for (const one of this.#deliveries) one.until ??= until
  }

  /** Refusal of a request; undefined if no rule matches. A rule that fires hides the request from later rules. */
  refusal(method: string, path: string): Expected | undefined {
    for (const one of this.#requests) {
      const { rule, matched } = one
      if (rule.method !== method || !isLike(rule.path, path)) continue
      const { status, after, times } = rule
      if (times !== null && matched >= after + times) continue
      one.matched += 1
      if (matched < after) continue
      return { ...refused(status, ''), ...faultAnswer(status) }
    }
    return undefined
  }

  /** Fault of deliveries of the event at a payment's stage. `position`: the payment's position among all payments. */
  ofDelivery(
    event: EventName,
    { stages, origin }: Payment,
    { stage, position }: Told,
  ): DeliveryRule['fault'] | undefined {
    const { at } = stages[stage] as Payment['stages'][number]
    // The order of requests decides whether an event of a request came after a rule; the time decides for other events.
    const isAfter = (moment: Moment) => (stage === 0 && origin === null ? position >= moment.payments : at > moment.at)
    const found = this.#deliveries.find(
      ({ rule, from, until }) =>
        (rule.event === '*' || rule.event === event) && isAfter(from) && (until === null || !isAfter(until)),
    )
    return found?.rule.fault
  }
}

interface Told {
  readonly stage: number
  readonly position: number
}

function faultAnswer(status: number): Partial<Expected> {
  const wait = retryAfter[status]
  return {
    body: { success: false, message: someText, data: null, errors: {} },
    ...(wait !== undefined && { headers: { 'retry-after': wait } }),
  }
}

function isLike(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return wanted.length === given.length && wanted.every((part, at) => part === '*' || part === given[at])
}
