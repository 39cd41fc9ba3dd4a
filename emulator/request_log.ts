import type { Breach } from '../src/contract/index.ts'
import type { Clock } from './clock.ts'
import type { Fault } from './faults.ts'
import { Waits } from './waits.ts'

/** A request that was answered, or whose answer was lost. */
export interface LoggedRequest {
  /** Among those of its world, in the order of their answers, from 1. */
  readonly number: number
  /** The number of the last one that had been answered when it came. */
  readonly before: number
  /** When it came, in epoch milliseconds by the world's clock. */
  readonly at: number
  /** Real time. */
  readonly durationMs: number
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly endpoint: string | null
  /** Also of an answer that did not leave; null: there was none, because the connection was reset or the client had gone. */
  readonly status: number | null
  /** Whether the answer left whole. */
  readonly answered: boolean
  /** Seq of the user whose token it brought. */
  readonly user: number | null
  /** Seq of the OAuth client of that token; null for one of the dashboard. */
  readonly client: number | null
  readonly key: string | null
  readonly replayed: boolean
  readonly fault: Fault | null
  readonly refusal: { readonly message: string; readonly errors: Readonly<Record<string, unknown>> } | null
  /** Id of the payment that it made, or was answered with. */
  readonly payment: string | null
  readonly breaches: readonly Breach[]
  /** Without secrets. */
  readonly body: unknown
}

/** A read that was repeated in a row, with the same answer each time. */
export interface Loop {
  readonly first: LoggedRequest
  times: number
}

/** The query of most requests. */
export const noQuery: LoggedRequest['query'] = {}

interface Read extends Loop {
  readonly answer: string
}

/** A move of the clock by hand: epoch milliseconds by the world's clock. */
export interface ClockMove {
  readonly from: number
  readonly to: number
}

export interface RequestFilter {
  /** Only those with greater numbers. */
  readonly since?: number | undefined
  /** Only those with smaller numbers. */
  readonly before?: number | undefined
  readonly matches?: (request: LoggedRequest) => boolean
}

/** How much is kept of a world. */
const kept = { requests: 10_000, moves: 1000, reads: 200 }

/** A read that comes so often in a row is polled in a loop. */
const pollsOfALoop = 5

/** Longer answers are not compared, in characters. */
const longestCompared = 16 * 1024

/** The last requests of a world, in memory. Nothing is allocated before the first one. */
export class RequestLog {
  readonly #clock: Clock
  #ring: LoggedRequest[] = []
  #reads: Map<string, Read> | undefined
  #followers: Waits | undefined
  #moves: ClockMove[] = []
  #ended = false
  #came = new Map<string, number>()
  #answered = new Map<string, number>()
  /** The number of the last one. */
  last = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a request to an endpoint that is not answered yet. */
  came(endpoint: string | null): void {
    countIn(this.#came, endpoint)
  }

  /** Requests to an endpoint since the world was made, those that the log has dropped included; undefined: to any. */
  count(endpoint: string | undefined): { readonly came: number; readonly answered: number } {
    return { came: countedIn(this.#came, endpoint), answered: countedIn(this.#answered, endpoint) }
  }

  /** Takes the request with the number after the last. */
  add(request: LoggedRequest): void {
    this.last = request.number
    countIn(this.#answered, request.endpoint)
    this.#ring[(this.last - 1) % kept.requests] = request
    this.#followers?.wake()
  }

  /** How many the log was too short for. */
  get dropped(): number {
    return this.last - this.#ring.length
  }

  get(number: number): LoggedRequest | undefined {
    const found = this.#ring[(number - 1) % kept.requests]
    return found?.number === number ? found : undefined
  }

  /** The oldest first. */
  list({ since = 0, before = Number.POSITIVE_INFINITY, matches = () => true }: RequestFilter = {}): LoggedRequest[] {
    const found: LoggedRequest[] = []
    const end = Math.min(this.last + 1, before)
    for (let number = Math.max(since, this.dropped) + 1; number < end; number += 1) {
      const request = this.get(number)
      if (request && matches(request)) found.push(request)
    }
    return found
  }

  /** Waits in real time until a request comes that matches, if none does yet. Rejects with a Refusal if the world ends. */
  async next(filter: RequestFilter, ms: number): Promise<void> {
    this.#followers ??= new Waits(this.#clock)
    if (this.#ended) this.#followers.end()
    let { since } = filter
    const look = () => {
      const done = this.list({ ...filter, since }).length > 0
      since = Math.max(since ?? 0, this.last)
      return { seen: done, done }
    }
    await this.#followers.until(look, ms)
  }

  /** The loop that a read belongs to, once it is one. `answer` is what it was answered with. */
  loopOf(read: LoggedRequest, answer: string): Loop | undefined {
    if (answer.length > longestCompared) return undefined
    this.#reads ??= new Map()
    const key = read.query === noQuery ? read.path : `${read.path}?${JSON.stringify(read.query)}`
    const before = this.#reads.get(key)
    if (before?.answer === answer && before.first.user === read.user && before.first.client === read.client) {
      before.times += 1
      return before.times >= pollsOfALoop ? before : undefined
    }
    this.#reads.delete(key)
    this.#reads.set(key, { first: read, times: 1, answer })
    const [oldest] = this.#reads.size > kept.reads ? this.#reads.keys() : []
    if (oldest !== undefined) this.#reads.delete(oldest)
    return undefined
  }

  clockMoved(move: ClockMove): void {
    if (move.to <= move.from) return
    this.#moves.push(move)
    if (this.#moves.length > kept.moves) this.#moves = this.#moves.slice(-kept.moves / 2)
  }

  /** Moves of the clock by hand, oldest first. */
  get moves(): readonly ClockMove[] {
    return this.#moves
  }

  /** Ends the waits for more. */
  end(): void {
    this.#ended = true
    this.#followers?.end()
  }
}

type Counts = Map<string, number>

/** Requests to unknown paths count together. */
const countIn = (counts: Counts, endpoint: string | null): void =>
  void counts.set(endpoint ?? '', (counts.get(endpoint ?? '') ?? 0) + 1)

function countedIn(counts: Counts, endpoint: string | undefined): number {
  if (endpoint !== undefined) return counts.get(endpoint) ?? 0
  return counts.values().reduce((sum, count) => sum + count, 0)
}

/** `r12`. */
export const requestId = (number: number): string => `r${number}`
