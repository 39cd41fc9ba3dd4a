import { type EventName, eventNames } from '../../../src/contract/index.ts'
import { type Expected, type Fields, invalid, type Problems, refused, success } from './exchange.ts'
import { Free, matching, oneOf, text } from './matching.ts'
import { pageOf } from './pages.ts'
import type { Caller } from './payments.ts'
import { known, type User } from './records.ts'
import { isTimestamp, isUuid, timeBetween, timestamp, uuid } from './values.ts'

/** A webhook subscription with its owner's settings. */
export interface Subscription {
  readonly id: Free
  /** True if the subscription certainly exists; false if the answer to its creation was lost. */
  sure: boolean
  readonly user: User
  readonly url: string
  readonly events: readonly EventName[]
  readonly maxAttempts: number
  readonly timeout: number
  readonly headers: Readonly<Record<string, string>> | null
  readonly createdAt: number
  updatedAt: Free
  /** Null while active. */
  suspended: { readonly at: Free; readonly reason: string | Free } | null
  /** Epoch milliseconds at which the owner suspended the subscription; null unless it is certainly still suspended. */
  suspendedSince: number | null
  /** Epoch milliseconds of the last resumption. */
  resumedAt: number
  deletedAt: number | null
  /** True if the answer to its suspension or resumption was lost. */
  mayBeSuspended: boolean
}

const notFound = refused(404, 'Webhook subscription not found')
const reserved =
  /^(host|content-length|content-type|content-encoding|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-connection|user-agent|x-webhook-id|x-webhook-attempt)$/i

export class Subscriptions {
  /** All subscriptions, including deleted subscriptions, in order of creation. */
  readonly all: Subscription[] = []
  readonly #taken = new Set<unknown>()

  /** GET /api/webhooks/subscriptions. */
  list(call: Caller): Expected[] {
    const entries = this.#of(call.token.user).reverse()
    return [
      pageOf(
        'Webhook subscriptions retrieved successfully',
        entries.map((entry) => ({
          ...{ id: entry.id, sure: entry.sure, placed: true, view: shown(entry, call.now) },
          seen: () => {
            entry.sure = true
          },
        })),
        call,
      ),
    ]
  }

  /** POST /api/webhooks/subscriptions. */
  create(body: Fields, { token: { user }, now }: Caller): Expected[] {
    const problems = problemsOf(body)
    if (problems) return [invalid(422, problems)]
    const subscription = this.#made(body, user, now)
    const data = { ...described(subscription), secret: matching('a secret', text(/^[0-9A-Za-z]{32}$/)) }
    const same = this.#of(user).find((other) => isSame(other, subscription))
    const there = invalid(422, { events: 'A webhook subscription with same URL and events already exists' })
    const learn = () =>
      void (same ? this.all.splice(this.all.indexOf(same), 1, subscription) : this.all.push(subscription))
    const done = success('Webhook subscription created successfully', data, { status: 201, learn })
    if (!same) return [done]
    const learnThere = () => {
      same.sure = true
    }
    return same.sure ? [there] : [{ ...there, learn: learnThere }, done]
  }

  /** Notes a lost answer: its request may have made a subscription. */
  loseCreate(body: Fields, { token: { user }, now }: Caller): void {
    if (problemsOf(body)) return
    const subscription = { ...this.#made(body, user, now), sure: false }
    if (!this.#of(user).some((other) => isSame(other, subscription))) this.all.push(subscription)
  }

  /** Notes a lost answer: its request may have suspended or resumed a subscription. */
  loseChange(id: string, { token: { user } }: Caller): void {
    const subscription = this.#of(user).find((subscription) => subscription.id.value === id)
    if (!subscription) return
    if (subscription.suspended) Object.assign(subscription, { suspended: null, updatedAt: anyTime(subscription) })
    subscription.mayBeSuspended = true
  }

  /** Notes a lost answer: its request may have deleted a subscription. */
  loseDelete(id: string, user: User): void {
    const subscription = this.#of(user).find((subscription) => subscription.id.value === id)
    if (subscription) subscription.sure = false
  }

  #made(body: Fields, user: User, now: number): Subscription {
    const given = body as unknown as Given
    return {
      id: new Free('a UUID', isUuid, this.#taken),
      sure: true,
      user,
      url: given.url,
      events: [...new Set(given.events)],
      maxAttempts: given.max_attempts ?? 3,
      timeout: given.timeout ?? 30,
      headers: given.headers === undefined || isEmptyList(given.headers) ? null : given.headers,
      createdAt: now,
      updatedAt: known(timestamp(now)),
      suspended: null,
      suspendedSince: null,
      resumedAt: now,
      deletedAt: null,
      mayBeSuspended: false,
    }
  }

  get(id: string, call: Caller): Expected[] {
    return this.#own(id, call, (subscription) => [
      success('Webhook subscription retrieved successfully', shown(subscription, call.now)),
    ])
  }

  delete(id: string, call: Caller): Expected[] {
    return this.#own(id, call, (subscription) => {
      const { active, last_sent_at, suspended_at, suspended_reason, ...kept } = described(subscription)
      const learn = () => {
        subscription.deletedAt = call.now
      }
      // The service may have suspended the subscription earlier; in this answer, only `updated_at` would differ.
      const updated_at = matching('a time', isTimestamp)
      return [success('Webhook subscription deleted successfully', { ...kept, updated_at }, { learn })]
    })
  }

  suspend(id: string, { reason }: Fields, call: Caller): Expected[] {
    const sound = reason == null || (typeof reason === 'string' && /^[\s\S]{1,255}$/u.test(reason))
    if (!sound && uuid.test(id)) return [invalid(422, { reason: null }, 'Validation failed')]
    return this.#own(id, call, (subscription) => {
      const already = refused(409, 'Webhook subscription is already suspended')
      if (subscription.suspended) return [already]
      const [now, said] = [timestamp(call.now), typeof reason === 'string' ? reason : 'Manual suspension']
      const learn = () => {
        subscription.suspended = { at: known(now), reason: said }
        subscription.suspendedSince = call.now
        subscription.updatedAt = known(now)
      }
      const data = { id: subscription.id, active: false, suspended_at: now, suspended_reason: said }
      const done = success('Webhook subscription suspended successfully', data, { learn })
      return [done, { ...already, learn: () => exhaust(subscription) }]
    })
  }

  resume(id: string, call: Caller): Expected[] {
    return this.#own(id, call, (subscription) => {
      const data = {
        id: subscription.id,
        active: true,
        suspended_webhooks_count: matching('a count', (count) => Number.isInteger(count) && (count as number) >= 0),
        retry_job_dispatched: true,
      }
      const learn = () => {
        Object.assign(subscription, { suspended: null, suspendedSince: null, resumedAt: call.now })
        subscription.updatedAt = known(timestamp(call.now))
      }
      const done = success('Webhook subscription resumed successfully', data, { learn })
      if (subscription.suspended) return [done]
      // Failed deliveries may have suspended the subscription.
      return [refused(409, 'Webhook subscription is not suspended'), done]
    })
  }

  /**
   * Assumes that all subscriptions may be active from now on: the answer to a change was lost, or the service resumed
   * subscriptions without a request.
   */
  resumedAll(now: number): void {
    for (const subscription of this.all) Object.assign(subscription, { suspendedSince: null, resumedAt: now })
  }

  /** Notes that the service has resumed the subscriptions that it had suspended. */
  resumedWithin(now: number): void {
    this.resumedAll(now)
    for (const subscription of this.all) {
      Object.assign(subscription, { suspended: null, updatedAt: anyTime(subscription) })
    }
  }

  #of(user: User): Subscription[] {
    return this.all.filter((subscription) => subscription.user === user && subscription.deletedAt === null)
  }

  #own(id: string, { token, now }: Caller, found: (subscription: Subscription) => Expected[]): Expected[] {
    if (!uuid.test(id)) return [invalid(422, { id: 'Subscription ID must be a valid UUID' }, 'Validation failed')]
    const subscription = this.#of(token.user).find((subscription) => subscription.id.value === id.toLowerCase())
    if (!subscription) return [notFound]
    if (subscription.sure) return found(subscription)
    const learnGone = () => {
      subscription.deletedAt = now
    }
    const there = found(subscription).map(({ learn, ...one }) => ({
      ...one,
      learn: () => {
        subscription.sure = true
        learn?.()
      },
    }))
    return [{ ...notFound, learn: learnGone }, ...there]
  }
}

const isSame = (one: Subscription, other: Subscription): boolean =>
  one.url === other.url &&
  one.events.length === other.events.length &&
  one.events.every((name) => other.events.includes(name))

interface Given {
  readonly url: string
  readonly events: readonly EventName[]
  readonly max_attempts?: number
  readonly timeout?: number
  readonly headers?: Readonly<Record<string, string>> | readonly never[]
}

/** PHP writes an empty object as an empty array. */
const isEmptyList = (headers: unknown): headers is readonly never[] => Array.isArray(headers)

/** Problems of a subscription's form. Source: docs/decisions/emulator.md, row 24. */
function problemsOf({ url, events, max_attempts, timeout, headers }: Fields): Problems | null {
  const problems: Record<string, null> = {}
  const isWithin = (value: unknown, least: number, most: number) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
  const plain = typeof url === 'string' && url.length <= 2048 && /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/.test(url)
  if (!plain || !URL.canParse(url)) problems.url = null
  if (!Array.isArray(events) || events.length === 0 || events.length > 100) problems.events = null
  else for (const [index, name] of events.entries()) if (!eventNames.includes(name)) problems[`events.${index}`] = null
  if (max_attempts !== undefined && !isWithin(max_attempts, 1, 10)) problems.max_attempts = null
  if (timeout !== undefined && !isWithin(timeout, 5, 120)) problems.timeout = null
  if (headers !== undefined && !areHeaders(headers)) problems.headers = null
  return Object.keys(problems).length === 0 ? null : problems
}

function areHeaders(headers: unknown): boolean {
  if (Array.isArray(headers)) return headers.length === 0
  if (typeof headers !== 'object' || headers === null) return false
  return Object.keys(headers).every((name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name) && !reserved.test(name))
}

const anyTime = ({ createdAt }: Subscription): Free =>
  new Free('a time', timeBetween(createdAt, Number.POSITIVE_INFINITY))

/** Notes that the service has suspended a subscription after failed deliveries. */
export function exhaust(subscription: Subscription): void {
  if (subscription.suspended) return
  const at = anyTime(subscription)
  const reason = new Free('a reason', text(subscription.mayBeSuspended ? /./ : /^Delivery failed \d+ times: ./))
  Object.assign(subscription, { suspended: { at, reason }, updatedAt: at })
}

const described = (subscription: Subscription) => ({
  id: subscription.id,
  url: subscription.url,
  events: subscription.events,
  active: subscription.suspended === null,
  max_attempts: subscription.maxAttempts,
  timeout: subscription.timeout,
  headers: subscription.headers,
  last_sent_at: null as unknown,
  created_at: timestamp(subscription.createdAt),
  updated_at: subscription.updatedAt as unknown,
  suspended_at: subscription.suspended?.at ?? null,
  suspended_reason: subscription.suspended?.reason ?? null,
})

/** The answer to a read of a subscription: deliveries may have changed or suspended it without a request. */
function shown(subscription: Subscription, now: number) {
  const sent = timeBetween(Math.floor(subscription.createdAt / 1000) * 1000, now)
  const last_sent_at = matching('when it was sent', (value) => value === null || sent(value))
  const usual = { expected: { ...described(subscription), last_sent_at } }
  if (subscription.suspended) return oneOf([usual])
  const ended: Subscription = { ...subscription }
  exhaust(ended)
  const learn = () => void Object.assign(subscription, ended)
  return oneOf([usual, { expected: { ...described(ended), last_sent_at }, learn }])
}
