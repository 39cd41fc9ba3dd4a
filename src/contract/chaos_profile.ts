import { type Static, Type } from 'typebox'
import {
  type ChaosKind,
  type ChaosProfileName,
  chaosKindNames,
  chaosKinds,
  chaosSeries,
  largestLateMs,
  largestOutage,
} from './emulator_names.ts'
import { endpoints } from './endpoints.ts'
import { eventNames } from './event_names.ts'
import { channels } from './payment_names.ts'

const share = (kind: ChaosKind) =>
  Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: `Probability from 0 to 1. ${chaosKinds[kind]}. Default: 0.`,
    }),
  )

const shares = Object.fromEntries(chaosKindNames.map((kind) => [kind, share(kind)])) as Record<
  ChaosKind,
  ReturnType<typeof share>
>

const series = [...Object.keys(endpoints), ...eventNames, ...chaosSeries]

/** One fault of chaos: its kind, and the request or delivery that it happens to. */
export const ChaosFault = Type.Object(
  {
    kind: Type.Enum(chaosKindNames, { description: 'Kind of fault, as in a chaos profile' }),
    at: Type.Enum(series, {
      description:
        'Endpoint of the request, or event of the delivery; `tokens` for expired tokens, `rails` for outages of a rail',
    }),
    nth: Type.Integer({
      minimum: 1,
      description:
        'Number of the request or delivery in the series that `at` names, from 1; counts only requests and deliveries that can have a fault',
    }),
    rng_stream: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'Value of `rng_stream` of the world; omitted for the default world, and for a world with its own chaos',
      }),
    ),
    rail: Type.Optional(Type.Enum(channels, { description: 'Rail that is offline' })),
    requests: Type.Optional(
      Type.Integer({ minimum: 1, maximum: largestOutage, description: 'Length of the outage, in requests' }),
    ),
    delay_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: largestLateMs,
        description: 'Delay of the delivery or of its repetition, in milliseconds of the world’s time',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'A fault of a chaos world, and the request or delivery that it happens to',
  },
)
export type ChaosFault = Static<typeof ChaosFault>

const bounded = (bounds: { minimum: number; maximum: number; default: number }, description: string) =>
  Type.Optional(Type.Integer({ ...bounds, description }))

/** Probability of each fault in a chaos world, faults that happen for certain, and settings of the faults. */
export const ChaosProfile = Type.Object(
  {
    ...shares,
    faults: Type.Optional(
      Type.Array(ChaosFault, { description: 'Faults that happen for certain, besides random faults' }),
    ),
    most_in_a_row: bounded(
      { minimum: 1, maximum: 1000, default: 3 },
      'Largest number of random faults in a row for one idempotency key, or for one path if requests have no key: the next request gets through. Default: 3.',
    ),
    retry_after_s: bounded(
      { minimum: 0, maximum: 3600, default: 1 },
      'Retry-After of 429 and 503, in seconds. Default: 1.',
    ),
    slow_ms: bounded(
      { minimum: 1, maximum: 600_000, default: 11_000 },
      'Delay of a slow answer after the request is processed, in milliseconds of real time. Default: 11000.',
    ),
    outage_requests: bounded(
      { minimum: 1, maximum: largestOutage, default: 3 },
      'Longest outage of a rail, in requests that send or check a payment or read the status of the rails. Default: 3.',
    ),
    late_ms: bounded(
      { minimum: 1, maximum: largestLateMs, default: 2000 },
      'Longest delay of a late, repeated or overtaken delivery, in milliseconds of the world’s time. Default: 2000.',
    ),
  },
  {
    additionalProperties: false,
    description:
      'Probabilities of the faults in a chaos world of the payctl emulator, faults that happen for certain, and settings of the faults.',
  },
)
export type ChaosProfile = Static<typeof ChaosProfile>

/** The built-in profiles. */
export const chaosProfiles = {
  mild: {
    lost_answers: 0.02,
    cut_answers: 0.01,
    resets: 0.01,
    too_many_requests: 0.02,
    server_errors: 0.01,
    unavailable: 0.02,
    slow_answers: 0.01,
    expired_tokens: 0.01,
    rail_outages: 0.01,
    duplicate_deliveries: 0.1,
    late_deliveries: 0.1,
    reordered_deliveries: 0.05,
    most_in_a_row: 2,
  },
  hostile: {
    lost_answers: 0.15,
    cut_answers: 0.05,
    resets: 0.05,
    too_many_requests: 0.05,
    server_errors: 0.05,
    unavailable: 0.1,
    slow_answers: 0.03,
    expired_tokens: 0.05,
    rail_outages: 0.05,
    duplicate_deliveries: 0.4,
    late_deliveries: 0.2,
    reordered_deliveries: 0.15,
    most_in_a_row: 4,
  },
} as const satisfies Readonly<Record<ChaosProfileName, ChaosProfile>>
