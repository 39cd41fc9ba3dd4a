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

/** Duration for both rails, or for each rail. Payments over a rail that is missing here take 1000 ms. */
export type Settle = RailSettle | { readonly pin?: RailSettle; readonly sinpe_movil?: RailSettle }

export type NamedSeed = 'demo' | 'empty'

/** Content of a new world; `empty` contains only one user and an OAuth client. */
export type Seed = NamedSeed | SeedFile

/** Name of a seed in the state of a world. */
export const seedName = (seed: Seed): string => (typeof seed === 'string' ? seed : 'custom')

/** Shows a custom seed only by the name `custom`, because it is long and may contain secrets. */
export const shownOrigin = ({ seed, ...from }: Origin): MadeFrom => ({
  ...from,
  ...(seed !== undefined && { seed: seedName(seed) }),
})

/**
 * An application that users can authorize. A client without a secret is a public client, like a native app, and must
 * use PKCE.
 */
export interface OAuthClientOption {
  readonly id: string
  /** Name on the consent page; by default the id. */
  readonly name?: string
  readonly secret?: string
  /** For a loopback host, any port matches. */
  readonly redirectUris: readonly string[]
  /** Scopes that the client is allowed to ask for; by default all scopes. */
  readonly scopes?: readonly Scope[]
}

/** Random faults in every world. They are repeatable: the same requests in the same order have the same faults. */
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
   * TCP port; 0, the default, chooses a free port. `false`: no port; only this process reaches the emulator, with
   * `fetch`.
   */
  readonly port?: number | false
  /**
   * File descriptor of a TCP socket that another process has bound, instead of `port` and `host`. A supervisor keeps
   * the socket open from one emulator to the next. Other machines may reach the socket, so `token` and `controlToken`
   * must be strong.
   */
  readonly socket?: number
  /**
   * The http or https URL of the emulator behind a proxy or in a container. Links contain this URL, including its path.
   */
  readonly publicUrl?: string
  /**
   * Address to listen on; loopback by default. Any other address requires a `token` and a `controlToken` that are long
   * and hard to guess. Throws EmulatorRefusal otherwise.
   */
  readonly host?: string
  /** Path of a data file that keeps the default world across restarts; without it the world is in memory. */
  readonly data?: string
  /** Folder for the files of all worlds, including the default world, and for snapshots; they survive restarts. */
  readonly worlds?: string
  /**
   * Maximum number of world files in the folder that are open at the same time, including the file of the default
   * world; 1000 by default.
   */
  readonly openWorlds?: number
  /**
   * Name of this emulator's shard, which is a part of a company's worlds: the names of the worlds in a shard begin with
   * its name, like `s2.shop-7`. A request for a world of another shard is answered with 421.
   */
  readonly shard?: string
  readonly seed?: Seed
  /**
   * Seed of ids, tokens, codes, secrets and faults; by default they come from the machine's randomness. With a seed,
   * deliveries are sent one after another, so that every run with a frozen clock is the same. Only for an emulator on
   * loopback: anybody who knows the seed can compute the secrets.
   */
  readonly rngSeed?: number | string
  /**
   * Random faults that are drawn from a seed, such as lost answers, repeated webhooks and tokens that expire early. A
   * world can have other settings.
   */
  readonly chaos?: ChaosOption
  /**
   * Clock of worlds when they are made or reset. An ISO 8601 time with a zone: the clock stands still at this time.
   * `running`: the clock shows the machine's time. Default: `running`, unless `settle` is `manual` on one rail and
   * `manual` or `instant` on the other; the clock then stands still at the time of the world's creation.
   */
  readonly clock?: string
  /** Path of a YAML or JSON file with the content of a new world, instead of `seed`. */
  readonly seedFile?: string
  /** Bearer token of the seeded user. */
  readonly token?: string
  /**
   * Secret of the seeded OAuth client. By default it is the well-known secret; if the emulator listens beyond loopback
   * or has teams, it is a new secret at each start.
   */
  readonly clientSecret?: string
  /** Additional OAuth clients of every world; a reset keeps them. */
  readonly oauthClients?: readonly OAuthClientOption[]
  /** Bearer token that control endpoints require; by default they require none. */
  readonly controlToken?: string
  /**
   * Path of a YAML or JSON file with the teams that share this emulator, their keys and limits; the emulator reads the
   * file again after each change. A team sees only its own worlds. Requires a `controlToken`, the administrator's key.
   */
  readonly teams?: string
  /** Path of a file to which each control call is appended as a line of JSON, without secrets. */
  readonly auditLog?: string
  /**
   * Maximum number of live worlds besides the default world, whether their files are open or closed. Default: no limit.
   */
  readonly maxWorlds?: number
  readonly settle?: Settle
  /** Accepts IBANs with wrong check digits in the registry, in credits from other banks and in seeds. */
  readonly lenientIban?: boolean
  /**
   * If true, a request that breaks the contract fails the test that uses the world of the request. Answers do not
   * change. A world can have another setting.
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
   * Maintenance windows by rail, in Costa Rica's time: `{ pin: ['02:00-04:00', 'sun 22:00-23:30'] }`. During its
   * windows a rail is offline, by the world's clock. Applies to new worlds whose seed has no windows, and to worlds in
   * files.
   */
  readonly maintenance?: Partial<Maintenance>
  /** Sends webhooks without the emulator's own headers X-Webhook-Id and X-Webhook-Attempt. */
  readonly plainDeliveries?: boolean
  /** Name of a header that signs webhooks: HMAC-SHA256 of the body with the subscription's secret, in hexadecimal. */
  readonly signDeliveries?: string
  /**
   * Keeps the latest moments of each world, so that the world can later be forked at them. The value is the maximum
   * size in MiB for each world. Default: none.
   */
  readonly moments?: number
  /** Language of the labels of page links in lists, such as `Next`. */
  readonly locale?: Locale
  /** Called with each internal error of the emulator; the client gets only a 500. */
  readonly onFault?: (error: unknown) => void
  /** Called with each message for the person who runs the emulator, for example that a page code was used twice. */
  readonly onNotice?: (text: string) => void
  /** Called when a world is made, reset, restored or ended, and when its file is opened or closed. */
  readonly onWorld?: (change: WorldChange) => void
  /** Called with each request after its answer. */
  readonly onRequest?: (request: AnsweredRequest) => void
  /**
   * Kills the program under test. The emulator calls this function at no more than three requests, which the seed of
   * `chaos` determines. Resolves with true when the program is dead, and with false if the program had already ended on
   * its own. After a kill, start the program again, until it ends on its own.
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
  /** Id of the endpoint; null for unknown paths, documents and the page. */
  readonly endpoint: string | null
  /** HTTP status; null: no answer. */
  readonly status: number | null
  readonly durationMs: number
  /** Name of the world that the request addressed. */
  readonly world: string
  /** Id of that world, or the id that the request names if no world admitted it; null: there is none. */
  readonly worldId: string | null
  /** Team of that world; empty: none. */
  readonly team: string
  /** Id of the request in the log of the world, such as `r12`; null for requests to the emulator itself. */
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
 * Refusal to start an emulator because of a problem that the user can fix; `hint` says how. Nothing was changed. In the
 * message and the hint, options have the names that a program uses.
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
