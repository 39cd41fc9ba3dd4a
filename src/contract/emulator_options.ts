import { type TProperties, type TSchemaOptions, Type } from 'typebox'
import { maximumSettle } from './control/settings.ts'
import { ClientId, ClientScopes, ClientSecret, RedirectUri } from './control/users.ts'
import {
  chaosProfileNames,
  largestChaosSeed,
  largestMomentLimit,
  largestSpread,
  maintenancePattern,
  providerPattern,
  shardPattern,
} from './emulator_names.ts'
import { ownHeaderPattern } from './headers.ts'
import { zonedTimePattern } from './schemas/scalars.ts'

/** Limit on durations, in seconds: times in the API have four-digit years. */
const century = 100 * 365 * 24 * 60 * 60

/**
 * Adds the end of an option's error message: "The option port takes …". `flag`: the end for a flag whose values differ
 * from those of the option.
 */
const takes = (description: string, flag?: string) => ({ description, ...(flag !== undefined && { 'x-flag': flag }) })

const text = (description: string) => Type.String({ minLength: 1, description })

/** Error messages never repeat a secret. */
const secret = Type.String({
  pattern: '^[\\x21-\\x7e]+$',
  'x-secret': true,
  ...takes('a string of visible ASCII characters'),
})

const flag = Type.Boolean(takes('true or false'))
/** JSON Schema has no type for functions. */
const callback = { type: 'function', description: 'a function' } as const

const integer = (minimum: number, maximum: number, options: TSchemaOptions = {}) =>
  Type.Integer({ minimum, maximum, ...options })

const closed = <P extends TProperties>(properties: P, options: TSchemaOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

const milliseconds = integer(0, maximumSettle)
const railSettle = Type.Union([
  milliseconds,
  Type.Literal('instant'),
  Type.Literal('manual'),
  closed({ from: milliseconds, to: milliseconds }),
])

const windows = Type.Array(Type.String({ pattern: maintenancePattern }))

/** Schema of each option of an emulator. emulator/check_options.ts has the rules that a schema can't express. */
export const optionSchemas = {
  port: Type.Union(
    [integer(0, 65_535), Type.Literal(false)],
    takes('an integer from 0 to 65535, or false', 'an integer from 0 to 65535'),
  ),
  host: text('a string'),
  publicUrl: text('an http or https URL without user name, query or fragment'),
  data: text('the path of a file'),
  worlds: text('the path of a folder'),
  socket: integer(3, 1_000_000, takes('the number of an open file descriptor, at least 3')),
  shard: Type.String({
    pattern: shardPattern,
    ...takes('a name of 1 to 16 lower case letters, digits and dashes'),
  }),
  openWorlds: integer(2, 1_000_000, takes('an integer from 2 to 1000000')),
  rngSeed: Type.Union(
    [integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), Type.String({ minLength: 1 })],
    takes('an integer or a string', 'a number or a word'),
  ),
  chaos: closed(
    {
      seed: integer(0, largestChaosSeed),
      profile: Type.Optional(Type.Union([Type.Enum([...chaosProfileNames]), Type.Object({})])),
      profileFile: Type.Optional(Type.String({ minLength: 1 })),
    },
    takes(
      `{ seed, profile }: an integer from 0 to ${largestChaosSeed}, and ${chaosProfileNames.join(', ')} or an object; or { seed, profileFile }`,
      `an integer from 0 to ${largestChaosSeed}`,
    ),
  ),
  clock: Type.Union(
    [Type.Literal('running'), Type.String({ pattern: zonedTimePattern })],
    takes("an ISO 8601 time with its zone, before the year 9999, or 'running'"),
  ),
  seed: Type.Union(
    [Type.Literal('demo'), Type.Literal('empty'), Type.Object({})],
    takes("'demo', 'empty' or an object", 'demo or empty'),
  ),
  seedFile: text('the path of a file'),
  token: secret,
  clientSecret: secret,
  oauthClients: Type.Array(
    closed({
      id: ClientId,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      secret: Type.Optional(Type.With(ClientSecret, { 'x-secret': true })),
      redirectUris: Type.Array(RedirectUri, { minItems: 1 }),
      scopes: Type.Optional(ClientScopes),
    }),
    takes(
      'a list of clients { id, name, secret, redirectUris, scopes } with different ids, none of them payctl; a client without a secret is public',
      'OAuth clients with different ids, none of them payctl; a client without a secret is public',
    ),
  ),
  controlToken: secret,
  teams: text('the path of a file'),
  auditLog: text('the path of a file'),
  maxWorlds: integer(1, 1_000_000_000, takes('an integer from 1 to 1000000000')),
  settle: Type.Union(
    [railSettle, closed({ pin: Type.Optional(railSettle), sinpe_movil: Type.Optional(railSettle) })],
    takes(
      "milliseconds up to a century, 'instant', 'manual', a range { from, to } of milliseconds, or { pin, sinpe_movil } with one of these for each rail",
      'a duration like 1s, a range like 3s..15s, instant or manual, or one of these by rail: pin=5s,sinpe_movil=instant',
    ),
  ),
  rateLimit: Type.Union(
    [integer(1, Number.MAX_SAFE_INTEGER), Type.Literal('off'), Type.Null()],
    takes("requests per minute, at least 1, 'off' or null", 'requests per minute, at least 1, or off'),
  ),
  tokenTtl: integer(1, century, takes('seconds from 1 up to a century')),
  keyTtl: integer(1, century * 1000, takes('milliseconds from 1 up to a century', 'a duration up to a century')),
  fxSpread: Type.Number({ minimum: 0, maximum: largestSpread, ...takes(`a fraction from 0 to ${largestSpread}`) }),
  fxProvider: Type.String({
    pattern: providerPattern,
    ...takes('a name of lower case letters, digits and underscores'),
  }),
  lenientIban: flag,
  strict: flag,
  maintenance: closed(
    { pin: Type.Optional(windows), sinpe_movil: Type.Optional(windows) },
    takes(
      "windows by rail, like { pin: ['02:00-04:00', 'sun 22:00-23:30'] }, that leave each rail time online",
      'a window of a rail, like pin=02:00-04:00; all windows of a rail must leave it time online',
    ),
  ),
  plainDeliveries: flag,
  signDeliveries: Type.String({ pattern: ownHeaderPattern, ...takes('the name of a header that is not reserved') }),
  moments: integer(1, largestMomentLimit, takes(`MiB per world, from 1 to ${largestMomentLimit}`)),
  locale: Type.Union([Type.Literal('es'), Type.Literal('en')], takes("'es' or 'en'", 'es or en')),
  onFault: callback,
  onNotice: callback,
  onRequest: callback,
  onWorld: callback,
  killProgram: callback,
} as const
