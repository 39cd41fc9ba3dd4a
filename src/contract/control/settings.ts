import { type Static, Type } from 'typebox'
import { largestSpread, maintenancePattern } from '../emulator_names.ts'
import { RailState } from '../schemas/payment.ts'
import { closed, described, nullable, Timestamp } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

/** A century: times in the API have years of four digits. */
export const maximumSettle = 100 * 365 * 86_400_000

/** `words`: message for a value of another kind; the other branches of the union then have none. */
const milliseconds = (words?: string) =>
  Type.Integer({
    minimum: 0,
    maximum: maximumSettle,
    description: 'Milliseconds',
    ...(words !== undefined && { 'x-messages': { type: words } }),
  })

/** Milliseconds, `manual`, or a range from which each payment draws its time, both ends included. */
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
      'Milliseconds from creation to end, the same for each payment or drawn from a range; `manual`: only moves of the clock take payments further',
  },
)
export type SettleTime = Static<typeof SettleTime>

/** Time to settle a normal payment, by rail. */
export const SettleTimes = Type.Object({ pin: SettleTime, sinpe_movil: SettleTime })
export type SettleTimes = Readonly<Static<typeof SettleTimes>>

/** Absent rails use the emulator's setting. */
export const SettleTimesBody = closed(
  { pin: Type.Optional(SettleTime), sinpe_movil: Type.Optional(SettleTime) },
  'How long a usual payment takes, by rail, in milliseconds; as the emulator was started where not given.',
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
  'Windows like `02:00-04:00`, `sun 22:00-23:30` or `mon-fri 23:30-01:00` in Costa Rica’s time, by which the rail goes offline and comes back; an empty list: no maintenance',
)

const maintenanceEnd = described(
  nullable(Timestamp),
  'When the maintenance that the rail is in ends; null: the rail is in no maintenance',
)

const UnderWay = Type.Enum(['complete', 'hang', 'timeout'], {
  description:
    'Payments under way over a rail that is offline: `complete` as if it were online, `hang` until it is, or end without success: `service_unavailable` before they are submitted to the rail, `timeout` after',
})
export type UnderWay = Static<typeof UnderWay>

export const RailStates = Type.Object({
  pin: RailState,
  sinpe_movil: RailState,
  under_way: Type.Object(
    { pin: UnderWay, sinpe_movil: UnderWay },
    { description: 'Result of the payments under way, by rail' },
  ),
  maintenance: Type.Object(
    { pin: timetable, sinpe_movil: timetable },
    { description: 'When a rail is offline by timetable: windows in Costa Rica’s time' },
  ),
  maintenance_until: Type.Object(
    { pin: maintenanceEnd, sinpe_movil: maintenanceEnd },
    { description: 'Ends of the maintenances under way, by rail' },
  ),
})

/**
 * Absent rails don't change. A given rail completes payments in progress unless `under_way` says otherwise; a rail with
 * a timetable keeps its `under_way`.
 */
export const RailsBody = closed({
  pin: Type.Optional(RailState),
  sinpe_movil: Type.Optional(RailState),
  under_way: Type.Optional(
    closed(
      { pin: Type.Optional(UnderWay), sinpe_movil: Type.Optional(UnderWay) },
      'Result of the payments under way, by rail; only of rails that are offline or have maintenance',
    ),
  ),
  maintenance: Type.Optional(
    closed(
      { pin: Type.Optional(timetable), sinpe_movil: Type.Optional(timetable) },
      'When a rail is offline by timetable',
    ),
  ),
})

const Amount = Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Minor units' })

/** Fee of payments up to `up_to` minor units; null: of all larger amounts. */
const FeeBand = closed({
  up_to: described(
    nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    'Largest amount of the band in minor units; null in the last band',
  ),
  fee: described(Amount, 'What a payment of the band costs, in minor units'),
})
export type FeeBand = Static<typeof FeeBand>

const Fee = Type.Union([Amount, Type.Array(FeeBand, { minItems: 1, maxItems: 20 })])
export type Fee = Static<typeof Fee>

const properties = {
  pin: described(Fee, 'Over PIN from an account in CRC: minor units, or bands by amount'),
  pin_usd: described(Fee, 'Over PIN from an account in USD: minor units, or bands by amount'),
  sinpe_movil: described(Fee, 'Over SINPE Móvil, which carries CRC only: minor units, or bands by amount'),
  own_accounts: Type.Enum(['same', 'free'], {
    description: 'Between two accounts of one user: the same as to anybody, or free',
  }),
}

/** Fees for the payer, by rail, currency and amount. */
export const Fees = Type.Object(properties)
export type Fees = Static<typeof Fees>

/** Absent members don't change. */
export const FeesBody = closed({
  pin: Type.Optional(properties.pin),
  pin_usd: Type.Optional(properties.pin_usd),
  sinpe_movil: Type.Optional(properties.sinpe_movil),
  own_accounts: Type.Optional(properties.own_accounts),
})

const Limit = nullable(Type.Integer({ minimum: 1, maximum: 100_000_000_000_000 }))

const ofMovil = {
  payment: described(Limit, 'Largest amount of a payment in minor units; null: no limit'),
  day: described(Limit, 'Largest sum that an account may send in a day of Costa Rica, in minor units; null: no limit'),
}

const LimitsAnswer = Type.Enum(['refuse', 'late'], {
  description: '`refuse`: 422 on `amount`. `late`: the payment is accepted, and fails with `limit_exceeded`',
})
export type LimitsAnswer = Static<typeof LimitsAnswer>

/** Limits of the rails per account. */
export const Limits = Type.Object({
  sinpe_movil: Type.Object(ofMovil, { description: 'Limits of SINPE Móvil, for each account' }),
  answer: LimitsAnswer,
})
export type Limits = Static<typeof Limits>

/** Absent members don't change. */
export const LimitsBody = closed({
  sinpe_movil: Type.Optional(
    closed(
      { payment: Type.Optional(ofMovil.payment), day: Type.Optional(ofMovil.day) },
      'Limits of SINPE Móvil, for each account',
    ),
  ),
  answer: Type.Optional(LimitsAnswer),
})

/** CRC for one USD. */
const Rate = Type.Number({ minimum: 0.01, maximum: 1_000_000 })
const Pair = Type.Object({
  bid: Type.Number({ description: 'CRC for one USD that is sold' }),
  ask: Type.Number({ description: 'CRC for one USD that is bought' }),
})

/** Share of the rate: 0.004 is 0.4 %. */
const Spread = Type.Number({
  minimum: 0,
  maximum: largestSpread,
  description: 'Share of the rate that the service keeps on each side: 0.004 is 0.4 %',
})

/**
 * `bid` and `ask`: the upstream rates as set; null while they move automatically. `upstream` and `service`: current
 * rates of the two FX endpoints, even while they are `offline`.
 */
export const FxState = Type.Object({
  bid: described(nullable(Rate), 'Upstream’s rate as it was set, CRC for one USD; null while it moves by itself'),
  ask: described(nullable(Rate), 'Upstream’s rate as it was set, CRC for one USD; null while it moves by itself'),
  spread: Spread,
  offline: Type.Boolean({ description: 'Whether both endpoints for rates answer 503' }),
  upstream: described(Pair, 'What the upstream endpoint answers now'),
  service: described(Pair, 'What the service’s endpoint answers now'),
})

/** Absent members don't change. Null lets a rate move automatically again. */
export const FxBody = closed({
  bid: Type.Optional(described(nullable(Rate), 'Upstream’s rate, CRC for one USD; null lets it move by itself again')),
  ask: Type.Optional(described(nullable(Rate), 'Upstream’s rate, CRC for one USD; null lets it move by itself again')),
  spread: Type.Optional(Spread),
  offline: Type.Optional(Type.Boolean({ description: 'Whether both endpoints for rates answer 503' })),
})

/** Requests per minute; null: no limit. */
export const RateLimit = nullable(
  Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Requests a minute' }),
)

/**
 * `limit`: requests per minute for each client and endpoint; null: none. `exhausted`: used up for all clients until
 * `resets_at`, the end of the minute on the emulator's clock.
 */
export const RateLimitState = Type.Object({
  limit: RateLimit,
  exhausted: Type.Boolean({ description: 'Whether it is used up for everybody' }),
  resets_at: described(Timestamp, 'When the minute of the world’s clock is over, UTC'),
})

/** Absent members don't change. */
export const RateLimitBody = closed({
  limit: Type.Optional(RateLimit),
  exhausted: Type.Optional(
    Type.Boolean({ description: 'True uses it up for everybody until the minute of the world’s clock is over' }),
  ),
})

export const settingEndpoints = {
  'control.rails.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/rails',
    summary: 'Which payment rails are online',
    description: 'Both are online until they are set. A rail in maintenance is offline.',
    success: { status: 200, message: 'Rails read', data: RailStates },
  }),
  'control.rails.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/rails',
    summary: 'Put payment rails out of order, or back, now or by timetable',
    description:
      'New payments over a rail that is offline end as `service_unavailable`. Those under way complete unless `under_way` says otherwise. A rail that is left out stays as it is. With `maintenance` a rail is offline in each window of its timetable, by the world’s clock. A rail is online only if it is in no window and was not put offline by this endpoint.',
    body: RailsBody,
    success: { status: 200, message: 'Rails set', data: RailStates },
  }),
  'control.fees.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/fees',
    summary: 'What a payment costs',
    description: 'By rail, currency and amount, in minor units of the payment’s currency.',
    success: { status: 200, message: 'Fees read', data: Fees },
  }),
  'control.fees.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/fees',
    summary: 'Set what a payment costs from now on',
    description: 'Payments under way keep their fee. What is left out stays as it is.',
    body: FeesBody,
    success: { status: 200, message: 'Fees set', data: Fees },
  }),
  'control.limits.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/limits',
    summary: 'How much an account may send',
    description: 'There are no limits until they are set.',
    success: { status: 200, message: 'Limits read', data: Limits },
  }),
  'control.limits.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/limits',
    summary: 'Limit the payments over SINPE Móvil, each and by day',
    description:
      'For each account. A day is one of Costa Rica’s calendar (UTC-6). Payments that ended without success do not count. What is left out stays as it is.',
    body: LimitsBody,
    success: { status: 200, message: 'Limits set', data: Limits },
  }),
  'control.fx.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/fx',
    summary: 'How exchange rates are made',
    description: 'Upstream’s rates, the spread, and what the two endpoints for rates answer now.',
    success: { status: 200, message: 'Exchange rates read', data: FxState },
  }),
  'control.fx.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/fx',
    summary: 'Set exchange rates, their spread, and whether they are available',
    description: 'What is left out stays as it is; a rate that is null moves by itself again.',
    body: FxBody,
    success: { status: 200, message: 'Exchange rates set', data: FxState },
  }),
  'control.rateLimit.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/rate-limit',
    summary: 'How many requests a minute are allowed',
    description: 'For each client and endpoint, in a minute of the world’s clock.',
    success: { status: 200, message: 'Rate limit read', data: RateLimitState },
  }),
  'control.rateLimit.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/rate-limit',
    summary: 'Set how many requests a minute are allowed, or use them up for everybody',
    description:
      'What is left out stays as it is. Used up, every counted request is answered with 429 until the minute is over.',
    body: RateLimitBody,
    success: { status: 200, message: 'Rate limit set', data: RateLimitState },
    errors: { 409: 'There is no rate limit to use up' },
  }),
} as const
