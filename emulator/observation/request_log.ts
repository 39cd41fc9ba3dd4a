import type { Breach, KillMoment } from '../../src/contract/index.ts'
import type { Clock } from '../clock.ts'
import type { Fault } from '../faults.ts'
import { Waits } from './waits.ts'

/** A request that has ended, with or without an answer. */
export interface LoggedRequest {
  /** Number of the request in its world, counted from 1 in the order of the answers. */
  readonly number: number
  /** Number of the last request that was answered when this request arrived. */
  readonly before: number
  /** Arrival, in epoch milliseconds of the world's clock. */
  readonly at: number
  /** Milliseconds of real time. */
  readonly durationMs: number
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly endpoint: string | null
  /**
   * Status of the answer, sent or lost; null: no answer, because the connection was reset or the client disconnected.
   */
  readonly status: number | null
  /** True if the whole answer was sent. */
  readonly answered: boolean
  /** Seq of the user whose token the request had. */
  readonly user: number | null
  /** Seq of the OAuth client to which that token belongs; null for a dashboard token. */
  readonly client: number | null
  readonly key: string | null
  readonly replayed: boolean
  readonly fault: Fault | null
  /** Number of the run of the program that sent the request, from 1: each kill ends a run. */
  readonly run: number
  /** Moment of the request at which the emulator killed the program that sent it; null: not killed. */
  readonly kill: KillMoment | null
  readonly refusal: { readonly message: string; readonly errors: Readonly<Record<string, unknown>> } | null
  /**
   * Id of the payment that the request created; if the request repeated a key, id of the payment that the first request
   * with this key created.
   */
  readonly payment: string | null
  /** Number of the moment whose state the request read, or that the request made; null if moments are off. */
  readonly moment: number | null
  readonly breaches: readonly Breach[]
  /** Without secrets. */
  readonly body: unknown
}

/**
 * Reads of the same path and query by the same user and client that got the same answer each time; other requests may
 * come between them.
 */
export interface Loop {
  readonly first: LoggedRequest
  times: number
}

/** The empty query that most requests have; they share this object. */
export const noQuery: LoggedRequest['query'] = {}

interface Read extends Loop {
  readonly answer: string
}

/** A move of the clock by a caller, from one time to another, in epoch milliseconds. */
export interface ClockMove {
  readonly from: number
  readonly to: number
}

export interface RequestFilter {
  /** Finds only requests with numbers greater than this. */
  readonly since?: number | undefined
  /** Finds only requests with numbers smaller than this. */
  readonly before?: number | undefined
  readonly matches?: (request: LoggedRequest) => boolean
}

/** Maximum number of entries of each kind that a world's log keeps: requests, clock moves and last reads. */
const limits = { requests: 10_000, moves: 1000, reads: 200 }

/** Minimum number of such reads in a polling loop. */
export const pollsOfALoop = 5

/** Size limit of the answers that are compared to find polling loops, in characters. */
const longestCompared = 16 * 1024

/** The latest requests of a world, in memory. Takes hardly any memory before the first request. */
export class RequestLog {
  readonly #clock: Clock
  #ring: LoggedRequest[] = []
  #reads: Map<string, Read> | undefined
  #followers: Waits | undefined
  #moves: ClockMove[] = []
  #ended = false
  #arrived = new Map<string, number>()
  #answered = new Map<string, number>()
  /** Number of the last request. */
  last = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a request to an endpoint when it arrives. */
  arrived(endpoint: string | null): void {
    countIn(this.#arrived, endpoint)
  }

  /**
   * Counts of the requests to an endpoint that have arrived, and of those that have ended, since the world was made,
   * reset or opened, including requests that the log has dropped; undefined: requests to all endpoints.
   */
  count(endpoint: string | undefined): { readonly came: number; readonly answered: number } {
    return { came: countedIn(this.#arrived, endpoint), answered: countedIn(this.#answered, endpoint) }
  }

  /** Adds a request. Its number must follow the number of the last request. */
  add(request: LoggedRequest): void {
    this.last = request.number
    countIn(this.#answered, request.endpoint)
    this.#ring[(this.last - 1) % limits.requests] = request
    this.#followers?.wake()
  }

  /** Number of requests that the log has dropped. */
  get dropped(): number {
    return this.last - this.#ring.length
  }

  get(number: number): LoggedRequest | undefined {
    const found = this.#ring[(number - 1) % limits.requests]
    return found?.number === number ? found : undefined
  }

  /** Requests that match, oldest first. */
  list({ since = 0, before = Number.POSITIVE_INFINITY, matches = () => true }: RequestFilter = {}): LoggedRequest[] {
    const found: LoggedRequest[] = []
    const end = Math.min(this.last + 1, before)
    for (let number = Math.max(since, this.dropped) + 1; number < end; number += 1) {
      const request = this.get(number)
      if (request && matches(request)) found.push(request)
    }
    return found
  }

  /** Number of the last request that read or made the state of a moment, or an earlier state; 0: none. */
  lastAt(moment: number): number {
    return this.list({ matches: (request) => (request.moment ?? 0) <= moment }).at(-1)?.number ?? 0
  }

  /**
   * Waits in real time until a matching request has ended; does not wait if the log already contains a matching
   * request. Rejects with a Refusal if the world ends.
   */
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

  /** Returns the polling loop that a read belongs to, if any. `answer` is the body of the answer to the read. */
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
    const [oldest] = this.#reads.size > limits.reads ? this.#reads.keys() : []
    if (oldest !== undefined) this.#reads.delete(oldest)
    return undefined
  }

  clockMoved(move: ClockMove): void {
    if (move.to <= move.from) return
    this.#moves.push(move)
    if (this.#moves.length > limits.moves) this.#moves = this.#moves.slice(-limits.moves / 2)
  }

  /** Moves of the clock by callers, oldest first. */
  get moves(): readonly ClockMove[] {
    return this.#moves
  }

  /** Ends all waits. */
  end(): void {
    this.#ended = true
    this.#followers?.end()
  }
}

type Counts = Map<string, number>

/** Requests to unknown paths are counted together. */
const countIn = (counts: Counts, endpoint: string | null): void =>
  void counts.set(endpoint ?? '', (counts.get(endpoint ?? '') ?? 0) + 1)

function countedIn(counts: Counts, endpoint: string | undefined): number {
  if (endpoint !== undefined) return counts.get(endpoint) ?? 0
  return counts.values().reduce((sum, count) => sum + count, 0)
}

/** Id of a request, like `r12`. */
export const requestId = (number: number): string => `r${number}`
