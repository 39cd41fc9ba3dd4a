import { hash } from 'node:crypto'
import {
  type Channel,
  type ChaosCount,
  type ChaosFault,
  type ChaosKind,
  type ChaosState,
  channels,
  chaosAlternatives,
  chaosKindNames,
  type EventName,
  listedChaosFaults,
} from '../../src/contract/index.ts'
import type { Fault, RequestSubject } from '../faults.ts'
import type { ChaosSetting } from './setting.ts'

/** The parts of a service request that chaos uses. */
interface ServiceRequest {
  readonly subject: RequestSubject
  /** User, endpoint, and idempotency key or else path: equal for all retries of a request. */
  readonly identity: string
}

/** Fault and delay of a delivery; the delay is in milliseconds of the world's time. */
interface DeliveryChaos {
  readonly fault: 'duplicate' | 'reorder' | undefined
  readonly delay: number
}

type RequestKind = (typeof chaosAlternatives.requests)[number]

const statuses = { too_many_requests: 429, server_errors: 500, unavailable: 503 } as const
const broken = {
  lost_answers: 'lose_answer',
  cut_answers: 'truncate',
  resets: 'reset',
  slow_answers: 'hold_answer',
} as const

/** Endpoints that show a rail outage. */
const railEndpoints: readonly string[] = ['payments.create', 'payments.validate', 'payments.serviceStatus']

/**
 * Draws the faults of a world from a seed. Each endpoint and each event has a separate series, as do the expiry of
 * tokens and the rail outages: the nth request or delivery of a series gets the nth number of the series. Requests that
 * belong to other series, and the time of a request, do not change a draw. A reset does not restart the series.
 */
export class Chaos {
  readonly #setting: ChaosSetting
  /** Stream of the world, which gives worlds with the same setting different draws. Empty for the default world. */
  readonly stream: string
  readonly #drawn = new Map<string, number>()
  readonly #counts = new Map<ChaosKind, { chances: number; fired: number }>()
  /** Number of consecutive faults, by the identity of the request. */
  readonly #inARow = new Map<string, number>()
  #outage: { readonly rail: Channel; left: number } | null = null
  /** Faults that the profile lists for this world, by series and number. */
  readonly #listed = new Map<string, Map<number, ChaosFault>>()
  /** Faults that happened, in order. */
  readonly #happened: ChaosFault[] = []

  constructor(setting: ChaosSetting, stream = '') {
    this.#setting = setting
    this.stream = stream
    const listed = setting.profile.faults?.map(({ kind }) => kind)
    for (const kind of chaosKindNames) {
      if (setting.profile[kind] || listed?.includes(kind)) this.#counts.set(kind, { chances: 0, fired: 0 })
    }
    for (const fault of setting.profile.faults ?? []) {
      if ((fault.rng_stream ?? '') !== stream) continue
      const ofSeries = this.#listed.get(fault.at) ?? new Map<number, ChaosFault>()
      this.#listed.set(fault.at, ofSeries.set(fault.nth, fault))
    }
  }

  get state(): ChaosState {
    const { seed, name } = this.#setting
    return { seed, profile: name, counts: this.counts, faults: this.faults }
  }

  /** The first `listedChaosFaults` faults that happened; a profile with this list makes them happen again. */
  get faults(): ChaosFault[] {
    return this.#happened.map((fault) => ({ ...fault }))
  }

  /** True if this object draws from exactly this setting. */
  draws = (setting: ChaosSetting | null): boolean => this.#setting === setting

  get counts(): ChaosCount[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, ...count }))
  }

  /** Draws the fault of a request; undefined: none. */
  next({ subject: { endpoint, errors }, identity }: ServiceRequest): Fault | undefined {
    const { retry_after_s = 1, slow_ms = 11_000 } = this.#setting.profile
    const possible = chaosAlternatives.requests.filter((kind) => !(kind in statuses) || statusOf(kind) in errors)
    const kind = this.#chosen(possible, endpoint, identity)?.kind as RequestKind | undefined
    if (kind === undefined) return undefined
    const status = statusOf(kind)
    const waits = status === 429 || status === 503
    return {
      status: status === 0 ? undefined : status,
      error: undefined,
      fault: kind in broken ? broken[kind as keyof typeof broken] : undefined,
      retry_after: waits ? retry_after_s : undefined,
      delay: kind === 'slow_answers' ? slow_ms : 0,
    }
  }

  /** Draws whether a valid OAuth token counts as expired for this request. */
  expires(token: string): boolean {
    return this.#chosen(['expired_tokens'], 'tokens', `token ${token}`) !== undefined
  }

  /** Draws the rail that is offline for a request; null: chaos puts neither rail offline. */
  offline(endpoint: string): Channel | null {
    if (!railEndpoints.includes(endpoint)) return null
    const started = this.#outage === null ? this.#chosen(['rail_outages'], 'rails') : undefined
    if (started !== undefined) {
      const { outage_requests = 3 } = this.#setting.profile
      started.rail ??= channels[Math.floor(this.#draw('which rail') * channels.length)] ?? 'pin'
      started.requests ??= 1 + Math.floor(this.#draw('outages') * outage_requests)
      this.#outage = { rail: started.rail, left: started.requests }
    }
    const outage = this.#outage
    if (outage === null) return null
    outage.left -= 1
    if (outage.left === 0) this.#outage = null
    return outage.rail
  }

  /** Draws the fault of a delivery of an event; undefined: none. */
  delivery(event: EventName): DeliveryChaos | undefined {
    const chosen = this.#chosen(chaosAlternatives.deliveries, event)
    if (chosen === undefined) return undefined
    const { late_ms = 2000 } = this.#setting.profile
    chosen.delay_ms ??= 1 + Math.floor(this.#draw(`${event} late`) * late_ms)
    const { kind, delay_ms: delay } = chosen
    if (kind === 'late_deliveries') return { fault: undefined, delay }
    return { fault: kind === 'duplicate_deliveries' ? 'duplicate' : 'reorder', delay }
  }

  /**
   * Uses the next number of a series to draw at most one of the kinds. If the profile lists a fault for that number,
   * the listed fault replaces the draw. Limits the consecutive drawn faults of an identity; listed faults have no
   * limit. The caller adds the details to the returned fault, such as the rail or the delay.
   */
  #chosen(kinds: readonly ChaosKind[], series: string, identity?: string): ChaosFault | undefined {
    const { profile } = this.#setting
    const configured = kinds.filter((kind) => this.#counts.has(kind))
    if (configured.length === 0) return undefined
    let remaining = this.#draw(series)
    const nth = this.#drawn.get(series) ?? 0
    const listed = this.#listed.get(series)?.get(nth)
    const found = configured.find((kind) => {
      remaining -= profile[kind] ?? 0
      return remaining < 0
    })
    for (const kind of configured) this.#count(kind).chances += 1
    if (listed !== undefined && configured.includes(listed.kind)) return this.#happens(listed)
    if (found === undefined || !this.#mayFail(identity)) {
      if (identity !== undefined) this.#inARow.delete(identity)
      return undefined
    }
    return this.#happens({
      kind: found,
      at: series,
      nth,
      ...(this.stream !== '' && { rng_stream: this.stream }),
    })
  }

  #happens(fault: ChaosFault): ChaosFault {
    const happened = { ...fault }
    this.#count(fault.kind).fired += 1
    if (this.#happened.length < listedChaosFaults) this.#happened.push(happened)
    return happened
  }

  /**
   * Counts a fault of an identity; returns false if the identity has already had `most_in_a_row` consecutive faults.
   */
  #mayFail(identity: string | undefined): boolean {
    if (identity === undefined) return true
    const { most_in_a_row = 3 } = this.#setting.profile
    const before = this.#inARow.get(identity) ?? 0
    if (before >= most_in_a_row) return false
    this.#inARow.delete(identity)
    this.#inARow.set(identity, before + 1)
    const [oldest] = this.#inARow.size > maxIdentities ? this.#inARow.keys() : []
    if (oldest !== undefined) this.#inARow.delete(oldest)
    return true
  }

  #count(kind: ChaosKind): { chances: number; fired: number } {
    return this.#counts.get(kind) as { chances: number; fired: number }
  }

  /** Returns the next number of a series: at least 0, less than 1. */
  #draw(series: string): number {
    const number = (this.#drawn.get(series) ?? 0) + 1
    this.#drawn.set(series, number)
    return drawn([this.#setting.seed, this.stream, series, number])
  }
}

/** Number derived from these words: at least 0, less than 1. */
export const drawn = (words: readonly (string | number)[]): number =>
  hash('sha256', JSON.stringify(words), 'buffer').readUInt32BE() / 2 ** 32

/** Maximum number of identities whose consecutive faults are counted. */
const maxIdentities = 10_000

const statusOf = (kind: RequestKind): number => (kind in statuses ? statuses[kind as keyof typeof statuses] : 0)

/** Adds up the counts of several worlds. */
export function countsTogether(all: Iterable<readonly ChaosCount[]>): ChaosCount[] {
  const sums = new Map<ChaosKind, ChaosCount>()
  for (const { kind, chances, fired } of [...all].flat()) {
    const sum = sums.get(kind) ?? { kind, chances: 0, fired: 0 }
    sums.set(kind, { kind, chances: sum.chances + chances, fired: sum.fired + fired })
  }
  return chaosKindNames.flatMap((kind) => sums.get(kind) ?? [])
}
