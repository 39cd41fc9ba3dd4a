import type { Locale } from './domain/paginator.ts'

/** How long a usual payment takes, in milliseconds; `manual`: payments move only when the clock is advanced. */
export type Settle = number | 'manual'

/** What a new world holds; `empty` has one user and nothing else. */
export type Seed = 'demo' | 'empty'

export interface EmulatorOptions {
  /** 0 for any free port, the default. */
  readonly port?: number
  /** Loopback by default. Elsewhere `token` and `controlToken` must be given, long and not easily guessed. */
  readonly host?: string
  /** Path of a data file that outlives the process; without it the world lives in memory. */
  readonly data?: string
  readonly seed?: Seed
  /** The bearer token of the seeded user. */
  readonly token?: string
  /** The secret of the seeded OAuth client. Without it the well-known one; beyond loopback a new one at each start. */
  readonly clientSecret?: string
  /** When given, control endpoints want it as their bearer token. */
  readonly controlToken?: string
  readonly settle?: Settle
  /** Requests a minute for each token and endpoint; null for no limit and no rate-limit headers. 6000 by default. */
  readonly rateLimit?: number | null
  /** Life of an OAuth access token, in seconds. 3600 by default. */
  readonly tokenTtl?: number
  /** The service's share on each side of the exchange rate; 0.004 (0.4 %) by default. */
  readonly fxSpread?: number
  /** Name of the upstream rate provider in its endpoint's path; `upstream` by default. */
  readonly fxProvider?: string
  /** Language of the paginator's labels. */
  readonly locale?: Locale
  /** Hears of faults of the emulator itself; their callers only get a 500. */
  readonly onFault?: (error: unknown) => void
}
