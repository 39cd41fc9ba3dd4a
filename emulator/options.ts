import {
  allScopes,
  type ChaosProfile,
  type ChaosProfileName,
  ClientId,
  ClientSecret,
  chaosProfileNames,
  largestChaosSeed,
  type MadeFrom,
  type Origin,
  RedirectUri,
  type Scope,
  type SeedFile,
  zonedTimePattern,
} from '../src/contract/index.ts'
import { endOfTime } from './clock.ts'
import type { Locale } from './domain/paginator.ts'

/**
 * How long a usual payment takes, in milliseconds; `instant`: none at all; `manual`: payments move only when the clock is
 * advanced.
 */
export type Settle = number | 'instant' | 'manual'

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
  /** ISO 8601 with a zone: new worlds stand still at this time, also after a reset. Otherwise they run with the machine. */
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
  /** Requests a minute for each client and endpoint; `off` or null: no limit and no rate-limit headers. 6000 by default. */
  readonly rateLimit?: number | 'off' | null
  /** Life of an OAuth access token, in seconds. 3600 by default. */
  readonly tokenTtl?: number
  /** The service's share on each side of the exchange rate; 0.004 (0.4 %) by default. */
  readonly fxSpread?: number
  /** Name of the upstream rate provider in its endpoint's path; `upstream` by default. */
  readonly fxProvider?: string
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
  readonly status: number
  readonly durationMs: number
}

/** Characters of a value that a message repeats. */
const maxShownLength = 60

interface Rule {
  readonly takes: string
  readonly accepts: (value: unknown) => boolean
  readonly secret?: boolean
}

const isIntegerWithin = (value: unknown, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most

const oneOf = (...values: readonly unknown[]): Rule => ({
  takes: values.map(shown).join(' or '),
  accepts: (value) => values.includes(value),
})

const matching = (takes: string, pattern: RegExp): Rule => ({
  takes,
  accepts: (value) => typeof value === 'string' && pattern.test(value),
})

function isPlainUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === ''
}

const text = matching('a string', /./)
const secret: Rule = { ...matching('a string of visible ASCII characters', /^[\x21-\x7e]+$/), secret: true }
const callback: Rule = { takes: 'a function', accepts: (value) => typeof value === 'function' }

const zonedTime = new RegExp(zonedTimePattern)

/** Seconds. Times in the API have years of four digits, so durations are limited to a century. */
const centurySeconds = 100 * 365 * 24 * 60 * 60

const rules: Readonly<Record<keyof EmulatorOptions, Rule>> = {
  port: { takes: 'an integer from 0 to 65535', accepts: (value) => isIntegerWithin(value, 0, 65_535) },
  host: text,
  publicUrl: {
    takes: 'an http or https URL without user name, query and fragment',
    accepts: isPlainUrl,
  },
  data: text,
  worlds: text,
  rngSeed: {
    takes: 'an integer or a string',
    accepts: (value) => Number.isSafeInteger(value) || (typeof value === 'string' && value !== ''),
  },
  chaos: {
    takes: `{ seed, profile }: an integer from 0 to ${largestChaosSeed}, and ${chaosProfileNames.join(', ')} or an object; or { seed, profileFile }`,
    accepts: isChaos,
  },
  clock: {
    takes: 'an ISO 8601 time with its zone, before the year 9999',
    accepts: (value) => typeof value === 'string' && zonedTime.test(value) && Date.parse(value) <= endOfTime,
  },
  seed: {
    takes: "'demo', 'empty' or an object",
    accepts: (value) => value === 'demo' || value === 'empty' || (typeof value === 'object' && value !== null),
  },
  seedFile: text,
  token: secret,
  clientSecret: secret,
  oauthClients: {
    takes:
      'a list of clients { id, name, secret, redirectUris, scopes } (without a secret a client is public) with ids of their own, none of them payctl',
    accepts: (value) =>
      Array.isArray(value) && value.every(isClient) && new Set(value.map(({ id }) => id)).size === value.length,
  },
  controlToken: secret,
  settle: {
    takes: "milliseconds up to a century, 'instant' or 'manual'",
    accepts: (value) => value === 'instant' || value === 'manual' || isIntegerWithin(value, 0, centurySeconds * 1000),
  },
  rateLimit: {
    takes: "requests a minute from 1 on, 'off' or null",
    accepts: (value) => value === 'off' || value === null || isIntegerWithin(value, 1, Number.MAX_SAFE_INTEGER),
  },
  tokenTtl: { takes: 'seconds from 1 up to a century', accepts: (value) => isIntegerWithin(value, 1, centurySeconds) },
  fxSpread: {
    takes: 'a fraction from 0 up to but not including 1',
    accepts: (value) => typeof value === 'number' && value >= 0 && value < 1,
  },
  fxProvider: matching('a name of lower case letters, digits and underscores', /^[a-z0-9_]{1,64}$/),
  locale: oneOf('es', 'en'),
  onFault: callback,
  onRequest: callback,
}

/** What a profile says is checked when it is read. */
function isChaos(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { seed, profile = 'mild', profileFile = 'a file', ...others } = value as Record<string, unknown>
  return (
    Object.keys(others).length === 0 &&
    isIntegerWithin(seed, 0, largestChaosSeed) &&
    ((typeof profile === 'object' && profile !== null) || chaosProfileNames.some((name) => name === profile)) &&
    typeof profileFile === 'string'
  )
}

const isText = (value: unknown, schema: object): boolean =>
  typeof value === 'string' && new RegExp((schema as { readonly pattern: string }).pattern).test(value)

/** Whether it is an OAuthClientOption with values that an emulator takes. */
function isClient(value: unknown): value is OAuthClientOption {
  if (typeof value !== 'object' || value === null) return false
  const { id, name = 'a name', secret, redirectUris, scopes = allScopes, ...others } = value as Record<string, unknown>
  return (
    Object.keys(others).length === 0 &&
    isText(id, ClientId) &&
    id !== 'payctl' &&
    isText(name, { pattern: '^.{1,255}$' }) &&
    (secret === undefined || isText(secret, ClientSecret)) &&
    Array.isArray(redirectUris) &&
    redirectUris.length > 0 &&
    redirectUris.every((uri) => isText(uri, RedirectUri) && URL.canParse(uri)) &&
    Array.isArray(scopes) &&
    scopes.length > 0 &&
    scopes.every((scope) => allScopes.includes(scope))
  )
}

/** Throws EmulatorRefusal for unknown options and wrong values: not all callers have types. */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new EmulatorRefusal(
      `startEmulator takes an object of options, and got ${shown(options)}.`,
      'Give {}, or nothing.',
    )
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(rules, name)) throw unknownOption(name, 'startEmulator', Object.keys(rules))
    const { takes, accepts, secret } = rules[name as keyof EmulatorOptions]
    if (value === undefined || accepts(value)) continue
    const got = secret && typeof value === 'string' && value !== '' ? 'another string' : shown(value)
    throw new EmulatorRefusal(`The option ${name} takes ${takes}, and got ${got}.`, `Change it, or leave ${name} out.`)
  }
  const { data, worlds } = options as EmulatorOptions
  if (data === undefined || worlds === undefined) return
  throw new EmulatorRefusal(
    'The option data is one file, worlds a folder of files: there is one of them.',
    'Leave data out.',
  )
}

/** Names the option that may be meant, of those that `taker` has. */
export function unknownOption(name: string, taker: string, known: readonly string[]): EmulatorRefusal {
  const letters = (word: string) => word.toLowerCase().replaceAll(/[^a-z]/g, '')
  const meant =
    known.find((option) => letters(option) === letters(name)) ??
    known.find((option) => letters(option).slice(0, 4) === letters(name).slice(0, 4))
  return new EmulatorRefusal(
    `${taker} has no option ${shown(name)}.`,
    meant ? `Did you mean ${meant}?` : `There are ${known.join(', ')}.`,
  )
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, maxShownLength)}'`
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, maxShownLength)
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
