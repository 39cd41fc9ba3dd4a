import { type FaultBody, type FaultRule, isDeliveryFault, oauthEndpoints } from '../src/contract/index.ts'
import type { Clock } from './clock.ts'
import { timeOf } from './domain/time.ts'

/** The parts of a request or delivery that fault rules compare. */
type Subject = RequestSubject | DeliverySubject

export interface RequestSubject {
  readonly endpoint: string
  readonly method: string
  readonly path: string
  /** Keyed by status. */
  readonly errors: Readonly<Record<number, unknown>>
  /** Error codes of an OAuth endpoint. */
  readonly oauthErrors?: readonly string[]
}

interface DeliverySubject {
  readonly event: string
  readonly subscription: string
}

/** Fault of one request or delivery. */
export interface Fault {
  readonly status: FaultRule['status'] | undefined
  readonly error: FaultRule['error'] | undefined
  readonly fault: FaultRule['fault'] | undefined
  /** Seconds. */
  readonly retry_after: number | undefined
  /** Delay before the fault, in milliseconds; with `hold_answer`, delay between the end of the work and the answer. */
  readonly delay: number
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

interface ActiveRule {
  readonly shown: Mutable<FaultRule>
  readonly kind: Kind
  /** Returns the next number of the rule's generator: at least 0, less than 1. */
  readonly draw: () => number
  readonly matches: (subject: Subject) => boolean
}

type Kind = 'requests' | 'deliveries'

/** Maximum number of ended rules that are remembered. */
const maxEnded = 100

/** Fault rules of a world, oldest first. They are not stored: a fork of the world starts without rules. */
export class Faults {
  readonly #clock: Clock
  readonly #newSeed: () => number
  readonly #worldEnd = new AbortController()
  #rules: ActiveRule[] = []
  #ended: FaultRule[] = []
  #added = 0
  /**
   * Number of active rules for requests, and number of active rules for deliveries. Callers skip matching if the number
   * for their kind is 0.
   */
  requests = 0
  deliveries = 0

  /** `newSeed` returns the seed of a rule whose body has none; the default is the rule's id. */
  constructor(clock: Clock, newSeed = (): number => this.#added) {
    this.#clock = clock
    this.#newSeed = newSeed
  }

  /** The rules that can still fire; `all`: the ended rules too, before the others. */
  list({ all = false } = {}): FaultRule[] {
    this.#endOverdue()
    const active = this.#rules.map(({ shown }) => ({ ...shown }))
    return all ? [...this.#ended, ...active] : active
  }

  add(body: FaultBody): FaultRule {
    this.#added += 1
    const { probability, spread_ms, until, seed = this.#newSeed() } = body
    const { times = until === undefined && probability === undefined ? 1 : null } = body
    const drawn = probability !== undefined || spread_ms !== undefined ? { seed } : {}
    const shown: FaultRule = { id: this.#added, ...body, ...drawn, times, matched: 0, fired: 0 }
    const kind = isForDeliveries(body) ? 'deliveries' : 'requests'
    this.#rules.push({ shown, kind, draw: generator(seed), matches: matcherOf(body) })
    this[kind] += 1
    return { ...shown }
  }

  /** Ends a rule; undefined if no active rule has this id. */
  remove(id: number): FaultRule | undefined {
    this.#endOverdue()
    const rule = this.#rules.find(({ shown }) => shown.id === id)
    if (!rule) return undefined
    this.#end(rule)
    return { ...rule.shown }
  }

  /** Ends all rules; returns the rules that could still have fired. */
  clear(): FaultRule[] {
    const left = this.list()
    for (const rule of [...this.#rules]) this.#end(rule)
    return left
  }

  /**
   * Counts a match of each rule for this request or delivery, oldest rule first, until a rule fires. Returns the fault
   * of that rule; undefined: no rule fired.
   */
  next(subject: Subject): Fault | undefined {
    this.#endOverdue()
    for (const rule of [...this.#rules]) {
      if (!rule.matches(subject)) continue
      const fault = fire(rule)
      if (rule.shown.times === 0) this.#end(rule)
      if (fault) return fault
    }
    return undefined
  }

  /** Waits in real time; resolves with true if the world still exists. */
  async wait(ms: number): Promise<boolean> {
    const { signal } = this.#worldEnd
    await this.#clock.wait(ms, signal)
    return !signal.aborted
  }

  /** Ends all waits. */
  stop(): void {
    this.#worldEnd.abort()
  }

  #endOverdue(): void {
    const now = this.#clock.now()
    for (const rule of [...this.#rules]) {
      const { until } = rule.shown
      if (until !== undefined && timeOf(until) <= now) this.#end(rule)
    }
  }

  #end(rule: ActiveRule): void {
    this.#rules = this.#rules.filter((other) => other !== rule)
    this.#ended = [...this.#ended, rule.shown].slice(-maxEnded)
    this[rule.kind] -= 1
  }
}

/** Counts a match. Returns the fault; undefined if `after` or `probability` makes the rule skip this match. */
function fire({ shown, draw }: ActiveRule): Fault | undefined {
  const { after = 0, probability = 1, delay_ms = 0, spread_ms = 0, status, error, fault, retry_after } = shown
  shown.matched += 1
  if (shown.matched <= after) return undefined
  if (probability < 1 && draw() >= probability) return undefined
  shown.fired += 1
  if (shown.times !== null) shown.times -= 1
  const delay = delay_ms + (spread_ms > 0 ? Math.round(draw() * spread_ms) : 0)
  return { delay, status, error, fault, retry_after }
}

export const isForDeliveries = ({ event, subscription, fault }: FaultBody): boolean =>
  event !== undefined || subscription !== undefined || isDeliveryFault(fault)

function matcherOf(body: FaultBody): (subject: Subject) => boolean {
  if (isForDeliveries(body)) return (subject) => 'event' in subject && isOfDelivery(body, subject)
  return (subject) => 'endpoint' in subject && isOfRequest(body, subject)
}

const isOfDelivery = ({ event = '*', subscription }: FaultBody, subject: DeliverySubject): boolean =>
  (event === '*' || event === subject.event) &&
  (subscription === undefined || subscription.toLowerCase() === subject.subscription)

/** Path prefix of the login. */
export const oauthFolder = oauthEndpoints['oauth.token'].path.replace(/[^/]*$/, '')

/** A rule with a status matches only endpoints that declare the status: the emulator sends no undeclared answers. */
export const isOfRequest = ({ endpoint, method, path, status, error }: FaultBody, subject: RequestSubject): boolean =>
  // A rule matches the login only if it names the login: test suites log in before the calls that they test.
  (subject.oauthErrors === undefined || endpoint !== undefined || path?.startsWith(oauthFolder) === true) &&
  (error === undefined || subject.oauthErrors?.includes(error) === true) &&
  (endpoint === undefined || endpoint === subject.endpoint) &&
  (method === undefined || method === subject.method) &&
  (path === undefined || matchesPath(path, subject.path)) &&
  (status === undefined || status in subject.errors)

/**
 * Compares segment by segment: `*` or a name in braces matches one segment, and a final `**` matches all segments that
 * follow.
 */
function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  const open = wanted.at(-1) === '**'
  if (open ? given.length < wanted.length : given.length !== wanted.length) return false
  const fixed = open ? wanted.slice(0, -1) : wanted
  return fixed.every((part, at) => part === '*' || /^\{\w+\}$/.test(part) || part === given[at])
}

/** Makes a Mulberry32 generator, which gives the same numbers for a seed on every machine. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
