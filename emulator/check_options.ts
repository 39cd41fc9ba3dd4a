import {
  allScopes,
  Channel,
  ClientId,
  ClientSecret,
  channels,
  chaosProfileNames,
  largestChaosSeed,
  largestSpread,
  maintenancePattern,
  maximumSettle,
  ownHeaderPattern,
  RedirectUri,
  zonedTimePattern,
} from '../src/contract/index.ts'
import { endOfTime } from './clock.ts'
import { isEndless } from './domain/maintenance.ts'
import { timeOf } from './domain/time.ts'
import { type EmulatorOptions, EmulatorRefusal, type OAuthClientOption } from './options.ts'

// Checks emulator options at run time: not all callers have types.

/** Characters of a value that a message shows. */
const maxShownLength = 60

interface Rule {
  readonly takes: string
  readonly accepts: (value: unknown) => boolean
  readonly secret?: boolean
  /** Describes the value in the message; by default the message shows the value itself. */
  readonly got?: (value: unknown) => string
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

/** Seconds. Times in the API have four-digit years, so durations are limited to a century. */
const centurySeconds = 100 * 365 * 24 * 60 * 60

const settleTaken = "milliseconds up to a century, 'instant', 'manual', a range { from, to } of milliseconds"

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
    accepts: (value) => wrongInChaos(value) === null,
    got: (value) => wrongInChaos(value) ?? '',
  },
  clock: {
    takes: "an ISO 8601 time with its zone, before the year 9999, or 'running'",
    accepts: (value) =>
      value === 'running' || (typeof value === 'string' && zonedTime.test(value) && timeOf(value) <= endOfTime),
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
    takes: `${settleTaken}, or { pin, sinpe_movil } with one of these each`,
    accepts: (value) => wrongInSettle(value) === null,
    got: (value) => wrongInSettle(value) ?? '',
  },
  rateLimit: {
    takes: "requests a minute from 1 on, 'off' or null",
    accepts: (value) => value === 'off' || value === null || isIntegerWithin(value, 1, Number.MAX_SAFE_INTEGER),
  },
  tokenTtl: { takes: 'seconds from 1 up to a century', accepts: (value) => isIntegerWithin(value, 1, centurySeconds) },
  keyTtl: {
    takes: 'milliseconds from 1 up to a century',
    accepts: (value) => isIntegerWithin(value, 1, centurySeconds * 1000),
  },
  fxSpread: {
    takes: `a fraction from 0 to ${largestSpread}`,
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= largestSpread,
  },
  fxProvider: matching('a name of lower case letters, digits and underscores', /^[a-z0-9_]{1,64}$/),
  lenientIban: oneOf(true, false),
  maintenance: {
    takes: "windows by rail, like { pin: ['02:00-04:00', 'sun 22:00-23:30'] }, that leave it time online",
    accepts: isMaintenance,
    got: (value) => JSON.stringify(value)?.slice(0, maxShownLength) ?? shown(value),
  },
  plainDeliveries: oneOf(true, false),
  signDeliveries: matching('the name of a header that is not reserved', new RegExp(ownHeaderPattern)),
  locale: oneOf('es', 'en'),
  onFault: callback,
  onRequest: callback,
}

/** Null if valid. The content of a profile is checked when it is read. */
function wrongInChaos(value: unknown): string | null {
  if (!isObject(value)) return shown(value)
  const { seed, profile = 'mild', profileFile = 'a file', ...others } = value
  const [other] = Object.keys(others)
  if (other !== undefined) return `another member, ${shown(other)}`
  if (seed === undefined) return 'no seed'
  if (!isIntegerWithin(seed, 0, largestChaosSeed)) return `${shown(seed)} as seed`
  if (!isObject(profile) && !chaosProfileNames.some((name) => name === profile)) return `${shown(profile)} as profile`
  return typeof profileFile === 'string' ? null : `${shown(profileFile)} as profileFile`
}

const rails: readonly string[] = Channel.enum

/** Null if valid. */
function wrongInSettle(value: unknown): string | null {
  if (!isObject(value) || 'from' in value || 'to' in value) return wrongInRailSettle(value)
  for (const [rail, time] of Object.entries(value)) {
    if (!rails.includes(rail)) return `the rail ${shown(rail)}`
    const wrong = time === undefined ? null : wrongInRailSettle(time)
    if (wrong !== null) return `${wrong} for ${rail}`
  }
  return null
}

function wrongInRailSettle(value: unknown): string | null {
  const isTime = (time: unknown) => isIntegerWithin(time, 0, maximumSettle)
  if (!isObject(value)) return value === 'instant' || value === 'manual' || isTime(value) ? null : shown(value)
  const { from, to, ...others } = value
  const [other] = Object.keys(others)
  if (other !== undefined) return `another member, ${shown(other)}`
  if (!isTime(from) || !isTime(to)) return `a range from ${shown(from)} to ${shown(to)}`
  return Number(from) <= Number(to) ? null : `a range whose from (${from}) is larger than its to (${to})`
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown, schema: object): boolean =>
  typeof value === 'string' && new RegExp((schema as { readonly pattern: string }).pattern).test(value)

function isMaintenance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isTimetable = (windows: unknown): boolean =>
    Array.isArray(windows) &&
    windows.every((window) => isText(window, { pattern: maintenancePattern })) &&
    !isEndless(windows)
  return Object.entries(value).every(
    ([rail, windows]) => channels.some((known) => known === rail) && isTimetable(windows),
  )
}

/** True for an OAuthClientOption with valid values. */
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

/** Throws EmulatorRefusal for unknown options and wrong values. */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new EmulatorRefusal(
      `startEmulator takes an object of options, and got ${shown(options)}.`,
      'Give {}, or nothing.',
    )
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(rules, name)) throw unknownOption(name, 'startEmulator', Object.keys(rules))
    const option = name as keyof EmulatorOptions
    const { takes, accepts, secret, got = shown } = rules[option]
    if (value === undefined || accepts(value)) continue
    const given = secret && typeof value === 'string' && value !== '' ? 'another string' : got(value)
    throw new EmulatorRefusal(
      (named) => `The option ${named(option)} takes ${takes}, and got ${given}.`,
      (named) => `Change it, or leave ${named(option)} out.`,
    )
  }
  const { data, worlds } = options as EmulatorOptions
  if (data === undefined || worlds === undefined) return
  throw new EmulatorRefusal(
    (named) => `The option ${named('data')} is one file, ${named('worlds')} a folder of files: there is one of them.`,
    (named) => `Leave ${named('data')} out.`,
  )
}

/** Suggests the most similar option of `known`. */
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
