import type { Locale } from './domain/paginator.ts'

/** How long a usual payment takes, in milliseconds; `manual`: payments move only when the clock is advanced. */
export type Settle = number | 'manual'

export interface EmulatorOptions {
  /** 0 for any free port, the default. */
  readonly port?: number
  /** Loopback by default. Elsewhere `token` and `controlToken` must be given. */
  readonly host?: string
  /** Path of a data file that outlives the process; without it the world lives in memory. */
  readonly data?: string
  readonly seed?: 'demo' | 'empty'
  /** The bearer token of the seeded user. */
  readonly token?: string
  /** When given, control endpoints want it as their bearer token. */
  readonly controlToken?: string
  readonly settle?: Settle
  /** Requests a minute for each token and endpoint; null for no limit and no rate-limit headers. 6000 by default. */
  readonly rateLimit?: number | null
  /** Life of an OAuth access token, in seconds. 3600 by default. */
  readonly tokenTtl?: number
  readonly version?: string
  /** Language of the paginator's labels. */
  readonly locale?: Locale
  /** Hears of faults of the emulator itself; their callers only get a 500. */
  readonly onFault?: (error: unknown) => void
}
