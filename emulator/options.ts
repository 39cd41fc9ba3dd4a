import type {
  ChaosProfile,
  ChaosProfileName,
  EndReason,
  MadeFrom,
  Origin,
  Scope,
  SeedFile,
} from '../src/contract/index.ts'
import type { Maintenance } from './domain/maintenance.ts'
import type { Locale } from './domain/paginator.ts'

/**
 * Duration of a usual payment, in milliseconds: a fixed number, or a range (both ends included) to draw from for each
 * payment. `instant`: 0 ms; `manual`: payments move only when the clock is advanced.
 */
export type RailSettle = number | 'instant' | 'manual' | { readonly from: number; readonly to: number }

/** Duration for both rails, or for each. A missing rail takes 1000 ms. */
export type Settle = RailSettle | { readonly pin?: RailSettle; readonly sinpe_movil?: RailSettle }

export type NamedSeed = 'demo' | 'empty'

/** Content of a new world; `empty` has only one user and an OAuth client. */
export type Seed = NamedSeed | SeedFile

/** Name of a seed in the state of a world. */
export const seedName = (seed: Seed): string => (typeof seed === 'string' ? seed : 'custom')

/** Shows a custom seed only by name: it may contain secrets, and is long. */
export const shownOrigin = ({ seed, ...from }: Origin): MadeFrom => ({
  ...from,
  ...(seed !== undefined && { seed: seedName(seed) }),
})

/**
 * An application that users can authorize. Without a secret it is a public client, like a native app, and must use
 * PKCE.
 */
export interface OAuthClientOption {
  readonly id: string
  /** Name on the consent page; the id by default. */
  readonly name?: string
  readonly secret?: string
  /** Any port matches on a loopback host. */
  readonly redirectUris: readonly string[]
  /** Scopes that it may ask for; all by default. */
  readonly scopes?: readonly Scope[]
}

/** Random faults in every world, repeatable: the same requests in the same order have the same faults. */
export interface ChaosOption {
  /** An integer from 0 to 4294967295. */
  readonly seed: number
  /** `mild` by default. */
  readonly profile?: ChaosProfileName | ChaosProfile
  /** Path of a YAML or JSON file with a profile, instead of `profile`. */
  readonly profileFile?: string
}

export interface EmulatorOptions {
  /**
   * TCP port; 0, the default, chooses a free port. `false`: none; only this process reaches the emulator, with `fetch`.
   */
  readonly port?: number | false
  /**
   * File descriptor of a TCP socket that another process has bound, instead of `port` and `host`: its supervisor keeps
   * the socket open between two emulators. Others may reach it, so `token` and `controlToken` must be strong.
   */
  readonly socket?: number
  /** URL of the emulator behind a proxy or in a container, used in links. http or https; links keep its path. */
  readonly publicUrl?: string
  /**
   * Address to listen on; loopback by default. Any other address requires `token` and `controlToken`, long and hard to
   * guess. Throws EmulatorRefusal otherwise.
   */
  readonly host?: string
  /** Path of a data file that keeps the default world across restarts; without it the world is in memory. */
  readonly data?: string
  /** Folder of files for all worlds, the default one included, and snapshots; they survive restarts. */
  readonly worlds?: string
  /**
   * Maximum number of the folder's worlds whose files are open at a time, the default one included; 1000 by default.
   */
  readonly openWorlds?: number
  /**
   * Name of the part of a company's worlds that this emulator has: the names of its worlds begin with it, like
   * `s2.shop-7`. A request for a world of another shard is answered with 421.
   */
  readonly shard?: string
  readonly seed?: Seed
  /**
   * Seed of ids, tokens, codes, secrets and faults; the machine's randomness by default. Deliveries are sent one after
   * another, so that with a frozen clock every run is the same. Loopback only: anybody who knows the seed can compute
   * the secrets.
   */
  readonly rngSeed?: number | string
  /**
   * Random faults by a seed, such as lost answers, repeated webhooks and tokens that expire early. A world may have
   * other settings.
   */
  readonly chaos?: ChaosOption
  /**
   * Clock of worlds that are new or reset. An ISO 8601 time with a zone: the clock stands still there. `running`: the
   * machine's time. Default: `running`, unless `settle` is `manual` on one rail and `manual` or `instant` on the other;
   * the clock then stands still at the time of the world's creation.
   */
  readonly clock?: string
  /** Path of a YAML or JSON file with the content of a new world, instead of `seed`. */
  readonly seedFile?: string
  /** Bearer token of the seeded user. */
  readonly token?: string
  /** Secret of the seeded OAuth client. Default: the well-known secret; beyond loopback a new secret at each start. */
  readonly clientSecret?: string
  /** Additional OAuth clients of every world; a reset keeps them. */
  readonly oauthClients?: readonly OAuthClientOption[]
  /** Bearer token that control endpoints require; by default they require none. */
  readonly controlToken?: string
  /**
   * Path of a YAML or JSON file with the teams that share this emulator, their keys and limits; the emulator reads the
   * file again after each change. A team sees its own worlds only. Requires a `controlToken`, the administrator's key.
   */
  readonly teams?: string
  /** Path of a file to which each control call is appended as a line of JSON, without secrets. */
  readonly auditLog?: string
  /** Maximum number of live worlds, open and closed, besides the default one. Default: no limit. */
  readonly maxWorlds?: number
  readonly settle?: Settle
  /** Accepts IBANs with wrong check digits in the registry, in credits from other banks and in seeds. */
  readonly lenientIban?: boolean
  /**
   * Fails the test of a world whose program sends a request that breaks the contract. Answers do not change. A world
   * may have another setting.
   */
  readonly strict?: boolean
  /**
   * Requests per minute for each client and endpoint, 6000 by default; `off` or null: no limit and no rate-limit
   * headers.
   */
  readonly rateLimit?: number | 'off' | null
  /** Lifetime of an OAuth access token, in seconds; 3600 by default. */
  readonly tokenTtl?: number
  /** Lifetime of an idempotency key, in milliseconds of the world's time; unlimited by default. */
  readonly keyTtl?: number
  /** The service's margin on each side of the exchange rate; 0.004 (0.4 %) by default. */
  readonly fxSpread?: number
  /** Name of the upstream rate provider in its endpoint's path; `upstream` by default. */
  readonly fxProvider?: string
  /**
   * Maintenance windows by rail, in Costa Rican time: `{ pin: ['02:00-04:00', 'sun 22:00-23:30'] }`. A rail is offline
   * in its windows, by the world's clock. Applies to new worlds whose seed has no windows, and to worlds in files.
   */
  readonly maintenance?: Partial<Maintenance>
  /** Sends webhooks without the emulator's own headers X-Webhook-Id and X-Webhook-Attempt. */
  readonly plainDeliveries?: boolean
  /** Name of a header that signs webhooks: HMAC-SHA256 of the body with the subscription's secret, in hexadecimal. */
  readonly signDeliveries?: string
  /**
   * Keeps the latest moments of each world, so that it can be forked at them later: at most this many MiB for each
   * world. Default: none.
   */
  readonly moments?: number
  /** Language of the labels in pages. */
  readonly locale?: Locale
  /** Called with each internal error of the emulator; clients only get a 500. */
  readonly onFault?: (error: unknown) => void
  /** Called with each message for the person who runs the emulator, for example that a page code was used twice. */
  readonly onNotice?: (text: string) => void
  /** Called when a world is made, reset or ended, and when its file is opened or closed. */
  readonly onWorld?: (change: WorldChange) => void
  /** Called with each request after its answer. */
  readonly onRequest?: (request: AnsweredRequest) => void
  /**
   * Kills the program under test; called at requests that the seed of `chaos` draws, three at most. Resolves with true
   * once the program is dead, and with false if it had ended by itself. Start the program again, until it ends by
   * itself.
   */
  readonly killProgram?: () => Promise<boolean>
}

export interface WorldChange {
  readonly change: 'made' | 'opened' | 'closed' | EndReason
  /** Name of the world. */
  readonly world: string
  /** Id of the world; after a reset, the new id. */
  readonly worldId: string
}

export interface AnsweredRequest {
  readonly method: string
  /** Path with the query, undecoded: it may contain secrets. */
  readonly path: string
  /** Id of the endpoint; null for unknown paths and documents. */
  readonly endpoint: string | null
  /** HTTP status; null: there was no answer. */
  readonly status: number | null
  readonly durationMs: number
  /** Name of the world that it addressed. */
  readonly world: string
  /** Id of that world; null if the request named a world that does not exist. */
  readonly worldId: string | null
  /** Team of that world; empty: none. */
  readonly team: string
  /** Id in the log of the world, such as `r12`; null for requests to the emulator itself. */
  readonly id: string | null
  /** Header `X-Request-Id`, in which a proxy or client gives a request its id; null: there was none. */
  readonly givenId: string | null
}

type OptionName = (option: keyof EmulatorOptions) => string

/** A program that passes options, or a command line that passes flags. */
type Caller = 'program' | 'commandLine'

/** A message that names options as its caller writes them: members in a program, flags on a command line. */
type NamingText = string | ((name: OptionName, caller: Caller) => string)

/**
 * Refusal to start an emulator because of a problem that the user can fix; `hint` says how. Nothing was changed. The
 * message and the hint write the names of options as a program does.
 */
export class EmulatorRefusal extends Error {
  readonly hint: string
  readonly #texts: readonly [message: NamingText, hint: NamingText]

  constructor(message: NamingText, hint: NamingText) {
    super(named(message, asOption, 'program'))
    this.name = 'EmulatorRefusal'
    this.hint = named(hint, asOption, 'program')
    this.#texts = [message, hint]
  }

  /** Message and hint for a command line, which has flags for the options. */
  naming(name: OptionName): { readonly message: string; readonly hint: string } {
    const [message, hint] = this.#texts
    return { message: named(message, name, 'commandLine'), hint: named(hint, name, 'commandLine') }
  }
}

const asOption: OptionName = (option) => option

const named = (text: NamingText, name: OptionName, caller: Caller): string =>
  typeof text === 'string' ? text : text(name, caller)
