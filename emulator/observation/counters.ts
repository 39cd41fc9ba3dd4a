/** Upper bounds of the buckets that durations of requests are counted in, in milliseconds. */
export const durationBounds = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

/** Counts of the requests to one endpoint. */
export interface EndpointCounts {
  /** Number of requests by class of the status, 1 to 5; at index 0, requests without an answer. */
  readonly classes: number[]
  /** Number of requests by bucket; the last bucket contains the durations beyond all bounds. */
  readonly buckets: number[]
  /** Total duration in milliseconds. */
  duration: number
}

/** Id under which requests without a route and requests for documents or the page are counted. */
const otherEndpoint = 'other'

/**
 * Counts since the start of an emulator, for the emulator's metrics. Counting takes well under a microsecond per
 * request.
 */
export class Counters {
  commits = 0
  rollbacks = 0
  /** Counts of the times that a world's file was opened, was closed, or could not be opened. */
  readonly files = { opened: 0, closed: 0, refused: 0 }
  /** Counts of accepted attempts and of failed attempts to deliver a webhook. */
  readonly attempts = { accepted: 0, failed: 0 }
  /** Counts of requests by team, then by endpoint. */
  readonly #requests = new Map<string, Map<string, EndpointCounts>>()

  /**
   * Counts a request; the status is null if the request had no answer. `team` is empty if the emulator has no teams.
   */
  answered(team: string, endpoint: string | undefined, status: number | null, ms: number): void {
    const counts = this.#countsOf(team, endpoint ?? otherEndpoint)
    const group = status === null ? 0 : Math.floor(status / 100)
    counts.classes[group] = (counts.classes[group] ?? 0) + 1
    let bucket = 0
    while (bucket < durationBounds.length && ms > (durationBounds[bucket] as number)) bucket += 1
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1
    counts.duration += ms
  }

  /** The counts of all requests, by team and endpoint. */
  requests = (): ReadonlyMap<string, ReadonlyMap<string, EndpointCounts>> => this.#requests

  #countsOf(team: string, endpoint: string): EndpointCounts {
    let ofTeam = this.#requests.get(team)
    if (!ofTeam) {
      ofTeam = new Map()
      this.#requests.set(team, ofTeam)
    }
    let counts = ofTeam.get(endpoint)
    if (!counts) {
      counts = { classes: Array(6).fill(0), buckets: Array(durationBounds.length + 1).fill(0), duration: 0 }
      ofTeam.set(endpoint, counts)
    }
    return counts
  }
}
