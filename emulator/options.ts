import type { ChaosProfile, ChaosProfileName, MadeFrom, Origin, Scope, SeedFile } from '../src/contract/index.ts'
import type { Maintenance } from './domain/maintenance.ts'
import type { Locale } from './domain/paginator.ts'

/**
 * How long a usual payment takes, in milliseconds: always the same, or drawn for each payment from a range, both ends
 * included. `instant`: no time; `manual`: payments move only when the clock is advanced.
 */
export type RailSettle = number | 'instant' | 'manual' | { readonly from: number; readonly to: number }

/** The time of both rails, or of each. A rail that is left out takes one second. */
export type Settle = RailSettle | { readonly pin?: RailSettle; readonly sinpe_movil?: RailSettle }

export type NamedSeed = 'demo' | 'empty'

/** What a new world contains; `empty` has one user and an OAuth client only. */
export type Seed = NamedSeed | SeedFile

/** How a world shows its seed. */
export const seedName = (seed: Seed): string => (typeof seed === 'string' ? seed : 'custom')

/** A seed of one's own is not shown: it may have secrets, and is long. */
export const shownOrigin = ({ seed, ...from }: Origin): MadeFrom => ({
  ...from,
  ...(seed !== undefined && { seed: seedName(seed) }),
})

/** An application that users can let in. Without a secret it is a public client, as a native app is, and must use PKCE. */
export interface OAuthClientOption {
  readonly id: string
  /** On the consent page; the id by default. */
  readonly name?: string
  readonly secret?: string
  /** On a loopback host any port will do. */
  readonly redirectUris: readonly string[]
  /** What it may ask for; everything by default. */
  readonly scopes?: readonly Scope[]
}

/** What goes wrong by chance, in every world: the same for the same requests in the same order. */
export interface ChaosOption {
  /** An integer from 0 to 4294967295. */
  readonly seed: number
  /** `mild` by default. */
  readonly profile?: ChaosProfileName | ChaosProfile
  /** Path of a YAML or JSON file with a profile, instead of `profile`. */
  readonly profileFile?: string
}

export interface EmulatorOptions {
  /** 0 for any free port, the default. */
  readonly port?: number
  /** Where clients reach it through a proxy or from a container: links say so. http or https; its path is kept. */
  readonly publicUrl?: string
  /** Loopback by default. Elsewhere `token` and `controlToken` must be given, long and not easily guessed. */
  readonly host?: string
  /** Path of a data file that outlives the process; without it the world lives in memory. */
  readonly data?: string
  /** Folder whose files are the worlds, the default one included, and the snapshots: all outlive the process. */
  readonly worlds?: string
  readonly seed?: Seed
  /**
   * Draws ids, tokens, codes, secrets and faults from this instead of from the machine, and sends deliveries one after
   * another: with a frozen clock each run is the same. Loopback only: whoever knows it can compute the secrets.
   */
  readonly rngSeed?: number | string
  /** Has answers get lost, webhooks come twice, tokens expire early and so on, by a seed. Worlds may have their own. */
  readonly chaos?: ChaosOption
  /**
   * Clock of new worlds, also after a reset. ISO 8601 with a zone: it stands still at this time. `running`: it runs with the
   * machine's, the default unless `settle` is `manual`: then it stands still at the time at which the world was made, if
   * the other rail is manual or instant.
   */
  readonly clock?: string
  /** Path of a YAML or JSON file with what a new world contains, instead of `seed`. */
  readonly seedFile?: string
  /** The bearer token of the seeded user. */
  readonly token?: string
  /** The secret of the seeded OAuth client. Without it the well-known one; beyond loopback a new one at each start. */
  readonly clientSecret?: string
  /** OAuth clients of every world, besides `payctl`; a reset keeps them. */
  readonly oauthClients?: readonly OAuthClientOption[]
  /** Bearer token that control endpoints require; without it they require none. */
  readonly controlToken?: string
  readonly settle?: Settle
  /** Accepts IBANs with wrong check digits in the registry, in credits from other banks and in seeds. */
  readonly lenientIban?: boolean
  /** Requests a minute for each client and endpoint; `off` or null: no limit and no rate-limit headers. 6000 by default. */
  readonly rateLimit?: number | 'off' | null
  /** Life of an OAuth access token, in seconds. 3600 by default. */
  readonly tokenTtl?: number
  /** How long an idempotency key is remembered, in milliseconds of the world's time. For ever by default. */
  readonly keyTtl?: number
  /** The service's share on each side of the exchange rate; 0.004 (0.4 %) by default. */
  readonly fxSpread?: number
  /** Name of the upstream rate provider in its endpoint's path; `upstream` by default. */
  readonly fxProvider?: string
  /**
   * Windows of maintenance by rail, in Costa Rica's time: `{ pin: ['02:00-04:00', 'sun 22:00-23:30'] }`. In them a rail is
   * offline by the world's clock. Set in each new world whose seed has none, and in worlds of files.
   */
  readonly maintenance?: Partial<Maintenance>
  /** Sends webhooks without the emulator's own headers, X-Webhook-Id and X-Webhook-Attempt. */
  readonly plainDeliveries?: boolean
  /** Signs webhooks in this header: HMAC-SHA256 of the body with the subscription's secret, in hexadecimal. */
  readonly signDeliveries?: string
  /** Language of the paginator's labels. */
  readonly locale?: Locale
  /** Called with each fault of the emulator itself; clients only get a 500. */
  readonly onFault?: (error: unknown) => void
  /** Called with each request once it is answered. */
  readonly onRequest?: (request: AnsweredRequest) => void
}

export interface AnsweredRequest {
  readonly method: string
  /** With its query, undecoded: it may contain secrets. */
  readonly path: string
  /** Id of the endpoint; null for unknown paths and documents. */
  readonly endpoint: string | null
  /** Null: there was no answer. */
  readonly status: number | null
  readonly durationMs: number
}

/** The emulator can't start for a reason that its user can mend; `hint` says how. Nothing was changed. */
export class EmulatorRefusal extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'EmulatorRefusal'
    this.hint = hint
  }
}
