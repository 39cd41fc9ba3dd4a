import { type Static, Type } from 'typebox'

/** CRC for one USD. `bid` is what the service pays for a dollar, `ask` what it takes for one. */
export const ExchangeRate = Type.Object({
  bid: Type.Number(),
  ask: Type.Number(),
  /** ISO 8601 with offset. */
  last_updated_utc: Type.String(),
  /** URL of the rate provider. */
  source: Type.String(),
})
export type ExchangeRate = Static<typeof ExchangeRate>

/** `provider` is the name of the upstream rate provider. */
export const UpstreamParams = Type.Object({ provider: Type.String({ pattern: '^[a-z0-9_]{1,64}$' }) })
