import type { EventName, PaymentStatus } from '../../../src/contract/index.ts'
import type { Bank } from './bank.ts'
import type { Rules } from './faults.ts'
import {
  Difference,
  differenceOf,
  type Free,
  type Lessons,
  type Matcher,
  matching,
  someText,
  text,
} from './matching.ts'
import type { Party, Payment } from './records.ts'
import { exhaust, type Subscription, type Subscriptions } from './subscriptions.ts'
import { localDateTime, localTime, money } from './values.ts'

/** An attempt at a delivery, with the data that the receiver received. */
export interface Attempt {
  /** URL of the subscription. */
  readonly url: string
  /** Headers, with their names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
  /** The service's time, in epoch milliseconds. */
  readonly at: number
  /** True if the receiver accepted the attempt; undefined if the service possibly does not know the result yet. */
  readonly taken?: boolean
}

interface Delivery {
  readonly subscription: Subscription
  /** True if no other subscription with the same URL receives the event. */
  readonly isTold: boolean
  readonly event: EventName
  readonly payment: Payment
  readonly body: string
  /** Number of observed attempts. */
  attempts: number
  /** Latest possible start of the last attempt, in epoch milliseconds. */
  lastAt: number
  /** Time of the last observed attempt; negative infinity if the service has restarted since then. */
  heardAt: number
  /** True if the receiver accepted the last attempt; undefined if the result may be unknown. */
  taken: boolean | undefined
  /** True if a rule repeats the delivery after the receiver has accepted it. */
  readonly isDoubled: boolean
  /** True if the rule has repeated the delivery. */
  cameAgain: boolean
}

/** Delay after the nth failed attempt, in milliseconds. */
const retryMs = (attempt: number): number => 10_000 * 10 ** (attempt - 1)

/** Minimum time between two attempts at a delivery, even after a fault of the service, in milliseconds. */
const faultMs = 1000

const events: Partial<Record<PaymentStatus, EventName>> = {
  pending: 'payment.created',
  processing: 'payment.processing',
  completed: 'payment.completed',
  failed: 'payment.failed',
}

const stateCodes = [
  'rejected',
  'account_closed',
  'account_blocked',
  'insufficient_funds',
  'limit_exceeded',
  'currency_mismatch',
]

/**
 * Events that payments cause, and their deliveries. Source: interface, "Events"; docs/decisions/emulator.md, rows 26 to
 * 33.
 */
export class Events {
  readonly #bank: Bank
  readonly #subscriptions: Subscriptions
  readonly #rules: Rules
  /** By `X-Webhook-Id`. */
  readonly #deliveries = new Map<string, Delivery>()

  constructor(bank: Bank, subscriptions: Subscriptions, rules: Rules) {
    this.#bank = bank
    this.#subscriptions = subscriptions
    this.#rules = rules
  }

  /** Throws a Difference for a delivery that must not happen. */
  attempted(attempt: Attempt): void {
    const { url, headers, body, at } = attempt
    const id = String(headers['x-webhook-id'])
    const number = Number(headers['x-webhook-attempt'])
    const earlier = this.#deliveries.get(id)
    if (earlier && (earlier.body !== body || earlier.subscription.url !== url)) {
      throw new Difference(`The delivery ${id} is another than before: ${body} to ${url}`)
    }
    const delivery = earlier ?? this.#begun(id, attempt)
    const { subscription, isTold } = delivery
    const { maxAttempts } = subscription
    if (number <= delivery.attempts) {
      throw new Difference(`Attempt ${number} at the delivery ${id} comes after attempt ${delivery.attempts}`)
    }
    const isAgain = delivery.isDoubled && !delivery.cameAgain && number > 1 && delivery.taken !== false
    if (isAgain) delivery.cameAgain = true
    else if (delivery.taken) throw new Difference(`The delivery ${id} comes again, and was taken`)
    if (!isAgain && at - delivery.heardAt < faultMs && delivery.heardAt > subscription.resumedAt) {
      throw new Difference(`The delivery ${id} comes again after ${at - delivery.heardAt} ms`)
    }
    if (isTold && !isAgain) {
      if (!(number >= 1 && number <= maxAttempts)) {
        throw new Difference(`Attempt ${number} at the delivery ${id}, of ${maxAttempts}`)
      }
      checkHeaders(delivery, headers)
      this.#checkTime(delivery, number, at)
    }
    Object.assign(delivery, { attempts: number, lastAt: at, heardAt: at, taken: attempt.taken })
    if (isTold && attempt.taken === false && number === maxAttempts) exhaust(subscription)
  }

  /** Checks that a suspended or deleted subscription receives no deliveries, and that no delivery is repeated early. */
  #checkTime({ subscription, attempts, lastAt, event }: Delivery, number: number, at: number): void {
    const { id, suspendedSince, deletedAt, resumedAt } = subscription
    if (at > (deletedAt ?? suspendedSince ?? at) + this.#bank.lateMs) {
      throw new Difference(`${event} is delivered to ${id.value}, which is ${deletedAt ? 'deleted' : 'suspended'}`)
    }
    if (attempts === 0 || lastAt <= resumedAt || at - lastAt >= retryMs(number - 1)) return
    throw new Difference(`Attempt ${number} comes ${at - lastAt} ms after attempt ${attempts}`)
  }

  /** Forgets the last attempts, like a service that could not write them. */
  forgetAttempts(): void {
    for (const delivery of this.#deliveries.values()) delivery.attempts = 0
  }

  /** Forgets the last attempts, like a service that was killed. */
  restarted(): void {
    this.forgetAttempts()
    for (const delivery of this.#deliveries.values()) delivery.heardAt = Number.NEGATIVE_INFINITY
  }

  /** Finds the event of a first attempt at a delivery. */
  #begun(id: string, { url, body, at }: Attempt): Delivery {
    const found = JSON.parse(body) as { event?: EventName; data?: { id?: unknown } }
    const possible = this.#bank.payments.filter(({ id }) => id.value === undefined || id.value === found.data?.id)
    // Payments whose answers were lost come last: otherwise such a payment could take the event of a known payment.
    const payments = [...possible.filter(({ sure }) => sure), ...possible.filter(({ sure }) => !sure)]
    let reason = 'no payment has this id'
    for (const payment of payments) {
      const position = this.#bank.payments.indexOf(payment)
      for (const stage of this.#bank.stagesUntil(payment, at)) {
        const event = eventOf(payment, stage)
        if (event === undefined || event !== found.event) continue
        const { subscription, isTold } = this.#subscriberTo(event, payment, url)
        const lessons: Lessons = []
        const difference = differenceOf(eventBody(payment, stage, at), found, lessons)
        reason = difference ?? 'nobody at this URL has subscribed to it, or it was delivered before'
        if (difference !== null || !subscription) continue
        const fault = this.#rules.ofDelivery(event, payment, { stage, position })
        if (fault === 'drop') reason = 'a rule drops it'
        if (fault === 'drop') continue
        for (const lesson of lessons) lesson()
        this.#bank.reach(payment, stage)
        subscription.sure ||= subscription.id.value === undefined
        const delivery: Delivery = {
          subscription,
          isTold,
          event,
          payment,
          body,
          attempts: 0,
          lastAt: 0,
          heardAt: Number.NEGATIVE_INFINITY,
          taken: undefined,
          isDoubled: fault === 'duplicate',
          cameAgain: false,
        }
        this.#deliveries.set(id, delivery)
        return delivery
      }
    }
    throw new Difference(`A delivery to ${url} is not expected: ${reason}\n  ${body}`)
  }

  /**
   * Events whose delivery to a URL is missing by now, was given up early, or should have been repeated. Call this only
   * if nothing is under way.
   */
  missing(url: string): string[] {
    const done = [...this.#deliveries.values()]
    return this.#subscriptions.all.flatMap((subscription) => {
      const { user, sure, suspended, deletedAt, events } = subscription
      if (!sure || suspended || deletedAt !== null || subscription.url !== url) return []
      return this.#bank.payments.flatMap((payment, position) => {
        if (payment.user !== user || !payment.sure) return []
        return payment.stages.slice(0, payment.stage + 1).flatMap(({ at }, stage) => {
          const event = eventOf(payment, stage)
          if (event === undefined || !events.includes(event) || subscription.createdAt >= at) return []
          const isIt = (other: Delivery) =>
            other.subscription === subscription && other.event === event && other.payment === payment
          const delivery = done.find(isIt)
          const isGivenUp = delivery?.taken === false && delivery.attempts < subscription.maxAttempts
          const isAwaited = delivery?.taken && delivery.isDoubled && !delivery.cameAgain
          const isDropped = this.#rules.ofDelivery(event, payment, { stage, position }) === 'drop'
          return isDropped || (delivery && !isGivenUp && !isAwaited) ? [] : [`${event} of ${payment.id.value}`]
        })
      })
    })
  }

  /**
   * Subscription that receives an event. Only the service knows which of several subscriptions with equal URLs receives
   * the event.
   */
  #subscriberTo(event: EventName, payment: Payment, url: string) {
    const done = [...this.#deliveries.values()].filter((other) => other.event === event && other.payment === payment)
    const all = this.#subscriptions.all.filter(
      (one) => one.url === url && one.user === payment.user && one.events.includes(event),
    )
    const left = all.filter((one) => !done.some((other) => other.subscription === one))
    const subscription = left.find(({ suspended, deletedAt }) => suspended === null && deletedAt === null) ?? left[0]
    return { subscription, isTold: all.length === 1 }
  }
}

/** Checks the headers of a delivery. Source: interface, "Events"; docs/decisions/emulator.md, row 28. */
function checkHeaders({ subscription }: Delivery, actual: Attempt['headers']): void {
  const own = Object.entries(subscription.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  const expected = { 'content-type': 'application/json', ...Object.fromEntries(own) }
  for (const [name, value] of Object.entries(expected)) {
    if (actual[name] !== value) throw new Difference(`A delivery has ${name}: ${actual[name]} instead of ${value}`)
  }
}

function eventOf({ type, stages }: Payment, stage: number): EventName | undefined {
  return type === 'credit' ? 'transaction.received' : events[stages[stage]?.status ?? 'system_error']
}

function eventBody(payment: Payment, stage: number, now: number) {
  const { type, account, channel, outcome, stages } = payment
  const { status, at } = stages[stage] as Payment['stages'][number]
  const [credit, completed] = [type === 'credit', status === 'completed']
  const feeIsKnown = completed && !credit && outcome !== 'fee_unknown'
  const failure = status === 'failed' && {
    error: someText,
    state_code: matching(
      'a state code',
      (code) => stateCodes.includes(String(code)) && (payment.stateCode ?? code) === code,
    ),
  }
  return {
    event: eventOf(payment, stage),
    data: {
      id: payment.id,
      idempotency_key: payment.key,
      channel_reference: credit ? null : payment.reference,
      sinpe_reference: completed ? payment.railReference : null,
      channel,
      transfer_type: type,
      payer: partyOf(payment.payer),
      payee: partyOf(payment.payee),
      amount: money(payment.amount, account.currency),
      fee: feeIsKnown ? money(payment.fee, account.currency) : null,
      description: payment.description,
      status,
      created_at: localOf(payment.createdAt),
      completed_at: completed ? localOf(payment.completedAt) : null,
      ...failure,
    },
    timestamp: matching(`a time from ${localTime(at)} on`, (value) => {
      const time = text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?-06:00$/)(value)
        ? Date.parse(String(value))
        : Number.NaN
      return time >= Math.floor(at / 1000) * 1000 && time <= now
    }),
  }
}

const partyOf = ({ iban, document, documentType, phone, name }: Party) => ({
  iban,
  document_number: document,
  document_type: documentType,
  phone_number: phone,
  name,
})

/** Matches the local form of a time of the service, once the time is known. */
const localOf = (time: Free): Matcher =>
  matching('the local time of the payment', (value) => {
    if (time.value === undefined) return text(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)(value)
    return value === localDateTime(Date.parse(time.value))
  })
