import { type Static, Type } from 'typebox'
import { type ChaosKind, type ChaosProfileName, chaosKindNames, chaosKinds } from './emulator_names.ts'

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

const bounded = (bounds: { minimum: number; maximum: number; default: number }, description: string) =>
  Type.Optional(Type.Integer({ ...bounds, description }))

/** Probability of each fault in a chaos world. */
export const ChaosProfile = Type.Object(
  {
    ...shares,
    most_in_a_row: bounded(
      { minimum: 1, maximum: 1000, default: 3 },
      'Longest run of faults for one idempotency key, or for one path: the next request gets through. Default: 3.',
    ),
    retry_after_s: bounded(
      { minimum: 0, maximum: 3600, default: 1 },
      'Retry-After of 429 and 503, in seconds. Default: 1.',
    ),
    outage_requests: bounded(
      { minimum: 1, maximum: 1000, default: 3 },
      'Longest outage of a rail, in requests that send or check a payment or read the status. Default: 3.',
    ),
    late_ms: bounded(
      { minimum: 1, maximum: 3_600_000, default: 2000 },
      'Longest delay of a late, repeated or overtaken delivery, in milliseconds of the world’s time. Default: 2000.',
    ),
  },
  {
    additionalProperties: false,
    description: 'Probability of each fault in a world of the payctl emulator with chaos.',
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
    expired_tokens: 0.05,
    rail_outages: 0.05,
    duplicate_deliveries: 0.4,
    late_deliveries: 0.2,
    reordered_deliveries: 0.15,
    most_in_a_row: 4,
  },
} as const satisfies Readonly<Record<ChaosProfileName, ChaosProfile>>
