import { type Static, Type } from 'typebox'
import { largestSpread, maintenancePattern } from '../emulator_names.ts'
import { RailState } from '../schemas/payment.ts'
import { closed, described, nullable, Timestamp } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

/** A century, in milliseconds: times in the API have years of four digits. */
export const maximumSettle = 100 * 365 * 86_400_000

/** `words`: the message for a value that fits no branch of the union; the other branches have no message for it. */
const milliseconds = (words?: string) =>
  Type.Integer({
    minimum: 0,
    maximum: maximumSettle,
    description: 'Milliseconds',
    ...(words !== undefined && { 'x-messages': { type: words } }),
  })

export const SettleTime = Type.Union(
  [
    milliseconds('must be milliseconds, manual, or a range {from, to} in milliseconds'),
    Type.Literal('manual', { 'x-messages': { const: null, type: null } }),
    Type.Object(
      { from: milliseconds(), to: milliseconds() },
      { additionalProperties: false, 'x-messages': { type: null } },
    ),
  ],
  {
    description:
      'Milliseconds from creation to end: a fixed time, or a range, both ends included, from which each payment draws its own time. `manual`: payments over the rail continue only when the clock is moved',
  },
)
export type SettleTime = Static<typeof SettleTime>

export const SettleTimes = Type.Object({ pin: SettleTime, sinpe_movil: SettleTime })
export type SettleTimes = Readonly<Static<typeof SettleTimes>>

export const SettleTimesBody = closed(
  { pin: Type.Optional(SettleTime), sinpe_movil: Type.Optional(SettleTime) },
  'Duration of a normal payment by rail, in milliseconds. Default: the emulator’s setting.',
)

const Windows = Type.Array(
  Type.String({
    pattern: maintenancePattern,
    'x-messages': { pattern: 'must be like 02:00-04:00, sun 22:00-23:30 or mon-fri 23:30-01:00, in Costa Rica’s time' },
  }),
  { maxItems: 50 },
)

const timetable = described(
  Windows,
  'Windows like `02:00-04:00`, `sun 22:00-23:30` or `mon-fri 23:30-01:00` in Costa Rica’s time, in which the rail is offline; an empty list: no maintenance',
)

const maintenanceEnd = described(nullable(Timestamp), 'End of the current maintenance; null if there is none')

const UnderWay = Type.Enum(['complete', 'hang', 'timeout'], {
  description:
    'Effect of an offline rail on its payments in progress. `complete`: they complete as if the rail were online. `hang`: they wait until the rail is online. `timeout`: they end, as `service_unavailable` if they were not yet submitted to the rail, otherwise as `timeout`',
})
export type UnderWay = Static<typeof UnderWay>

export const RailStates = Type.Object({
  pin: RailState,
  sinpe_movil: RailState,
  under_way: Type.Object(
    { pin: UnderWay, sinpe_movil: UnderWay },
    { description: 'Effect of an offline rail on its payments in progress, by rail' },
  ),
  maintenance: Type.Object(
    { pin: timetable, sinpe_movil: timetable },
    { description: 'Maintenance by rail: windows in Costa Rica’s time' },
  ),
  maintenance_until: Type.Object(
    { pin: maintenanceEnd, sinpe_movil: maintenanceEnd },
    { description: 'End of the current maintenance, by rail' },
  ),
})

export const RailsBody = closed({
  pin: Type.Optional(RailState),
  sinpe_movil: Type.Optional(RailState),
  under_way: Type.Optional(
    closed(
      { pin: Type.Optional(UnderWay), sinpe_movil: Type.Optional(UnderWay) },
      'Effect of an offline rail on its payments in progress, by rail; only for rails that are offline or have maintenance',
    ),
  ),
  maintenance: Type.Optional(
    closed({ pin: Type.Optional(timetable), sinpe_movil: Type.Optional(timetable) }, 'Maintenance by rail'),
  ),
})

const Amount = Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Fee in minor units' })

const FeeBand = closed({
  up_to: described(
    nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    'Largest amount of the band in minor units; null in the last band',
  ),
  fee: described(Amount, 'Fee of a payment in the band, in minor units'),
})
export type FeeBand = Static<typeof FeeBand>

const Fee = Type.Union([Amount, Type.Array(FeeBand, { minItems: 1, maxItems: 20 })])
export type Fee = Static<typeof Fee>

const properties = {
  pin: described(Fee, 'Fee for payments by PIN from an account in CRC: minor units, or bands by amount'),
  pin_usd: described(Fee, 'Fee for payments by PIN from an account in USD: minor units, or bands by amount'),
  sinpe_movil: described(
    Fee,
    'Fee for payments by SINPE Móvil, which carries only CRC: minor units, or bands by amount',
  ),
  own_accounts: Type.Enum(['same', 'free'], {
    description: 'Fee between two accounts of one user: `same` as for other payees, or `free`',
  }),
}

export const Fees = Type.Object(properties)
export type Fees = Static<typeof Fees>

export const FeesBody = closed({
  pin: Type.Optional(properties.pin),
  pin_usd: Type.Optional(properties.pin_usd),
  sinpe_movil: Type.Optional(properties.sinpe_movil),
  own_accounts: Type.Optional(properties.own_accounts),
})

const Limit = nullable(Type.Integer({ minimum: 1, maximum: 100_000_000_000_000 }))

const ofMovil = {
  payment: described(Limit, 'Largest amount of a payment in minor units; null for no limit'),
  day: described(
    Limit,
    'Largest sum that an account may send in one day (Costa Rica time), in minor units; null for no limit',
  ),
}

const LimitsAnswer = Type.Enum(['refuse', 'late'], {
  description:
    'Result of a payment above a limit. `refuse`: the payment is refused with 422, on the field `amount`. `late`: the payment is accepted, and fails with `limit_exceeded`',
})
export type LimitsAnswer = Static<typeof LimitsAnswer>

export const Limits = Type.Object({
  sinpe_movil: Type.Object(ofMovil, { description: 'Limits of SINPE Móvil, per account' }),
  answer: LimitsAnswer,
})
export type Limits = Static<typeof Limits>

export const LimitsBody = closed({
  sinpe_movil: Type.Optional(
    closed(
      { payment: Type.Optional(ofMovil.payment), day: Type.Optional(ofMovil.day) },
      'Limits of SINPE Móvil, per account',
    ),
  ),
  answer: Type.Optional(LimitsAnswer),
})

/** CRC per USD. */
const Rate = Type.Number({ minimum: 0.01, maximum: 1_000_000 })
const Pair = Type.Object({
  bid: Type.Number({ description: 'CRC paid for one USD' }),
  ask: Type.Number({ description: 'CRC charged for one USD' }),
})

const Spread = Type.Number({
  minimum: 0,
  maximum: largestSpread,
  description: 'Share of the rate that the service keeps on each side: 0.004 is 0.4 %',
})

export const FxState = Type.Object({
  bid: described(nullable(Rate), 'Upstream rate that was set, CRC per USD; null while it moves automatically'),
  ask: described(nullable(Rate), 'Upstream rate that was set, CRC per USD; null while it moves automatically'),
  spread: Spread,
  offline: Type.Boolean({ description: 'True if both endpoints for rates answer 503' }),
  upstream: described(Pair, 'Current rates of the upstream endpoint, even while offline'),
  service: described(Pair, 'Current rates of the service’s endpoint, even while offline'),
})

export const FxBody = closed({
  bid: Type.Optional(described(nullable(Rate), 'Upstream rate, CRC per USD; null lets it move automatically again')),
  ask: Type.Optional(described(nullable(Rate), 'Upstream rate, CRC per USD; null lets it move automatically again')),
  spread: Type.Optional(Spread),
  offline: Type.Optional(Type.Boolean({ description: 'True if both endpoints for rates answer 503' })),
})

export const RateLimit = nullable(
  Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Requests per minute; null for no limit' }),
)

export const RateLimitState = Type.Object({
  limit: RateLimit,
  exhausted: Type.Boolean({ description: 'True if the limit is used up for all clients' }),
  resets_at: described(Timestamp, 'End of the current minute of the world’s clock, UTC'),
})

export const RateLimitBody = closed({
  limit: Type.Optional(RateLimit),
  exhausted: Type.Optional(
    Type.Boolean({
      description:
        'True: the limit counts as used up for all clients until the current minute of the world’s clock ends; false: all counts start again at 0',
    }),
  ),
})

export const settingEndpoints = {
  'control.rails.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/rails',
    summary: 'State and timetable of the payment rails',
    description: 'Both rails are online by default. A rail in maintenance is offline.',
    success: { status: 200, message: 'Rails read', data: RailStates },
  }),
  'control.rails.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/rails',
    summary: 'Take payment rails offline or online, now or by timetable',
    description:
      'New payments over an offline rail end as `service_unavailable`. Payments in progress complete unless `under_way` says otherwise. Omitted rails do not change. With `maintenance` a rail is offline in each window of its timetable, by the world’s clock. A rail is online only outside its windows, and only if this endpoint has not taken it offline.',
    body: RailsBody,
    success: { status: 200, message: 'Rails set', data: RailStates },
  }),
  'control.fees.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/fees',
    summary: 'Fees of payments',
    description: 'Fees by rail, currency and amount, in minor units of the payment’s currency.',
    success: { status: 200, message: 'Fees read', data: Fees },
  }),
  'control.fees.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/fees',
    summary: 'Set the fees of later payments',
    description: 'Payments in progress keep their fee. Omitted fees do not change.',
    body: FeesBody,
    success: { status: 200, message: 'Fees set', data: Fees },
  }),
  'control.limits.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/limits',
    summary: 'Limits for payments of an account',
    description: 'No limits apply until limits are set.',
    success: { status: 200, message: 'Limits read', data: Limits },
  }),
  'control.limits.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/limits',
    summary: 'Limit payments by SINPE Móvil, per payment and per day',
    description:
      'Applies to each account. A day begins at midnight in Costa Rica (UTC-6). Payments that ended without success do not count. Omitted limits do not change.',
    body: LimitsBody,
    success: { status: 200, message: 'Limits set', data: Limits },
  }),
  'control.fx.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/fx',
    summary: 'Settings of exchange rates',
    description: 'Upstream rates and spread, and the current rates of both endpoints.',
    success: { status: 200, message: 'Exchange rates read', data: FxState },
  }),
  'control.fx.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/fx',
    summary: 'Set exchange rates and spread, or make rates unavailable',
    description: 'Omitted members do not change; null lets a rate move automatically again.',
    body: FxBody,
    success: { status: 200, message: 'Exchange rates set', data: FxState },
  }),
  'control.rateLimit.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/rate-limit',
    summary: 'Limit of requests per minute',
    description: 'Applies to each client and endpoint, per minute of the world’s clock.',
    success: { status: 200, message: 'Rate limit read', data: RateLimitState },
  }),
  'control.rateLimit.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/rate-limit',
    summary: 'Set the rate limit, or mark the limit as used up for all clients',
    description:
      'Omitted members do not change. While the limit is used up, every counted request is answered with 429, until the minute ends.',
    body: RateLimitBody,
    success: { status: 200, message: 'Rate limit set', data: RateLimitState },
    errors: { 409: 'No rate limit is set' },
  }),
} as const
