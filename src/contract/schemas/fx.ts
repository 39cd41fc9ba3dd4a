import { type Static, Type } from 'typebox'

export const ExchangeRate = Type.Object(
  {
    bid: Type.Number({ description: 'CRC that the service pays for one USD' }),
    ask: Type.Number({ description: 'CRC that the service takes for one USD' }),
    last_updated_utc: Type.String({ description: 'When the rate was made: ISO 8601 with an offset' }),
    source: Type.String({ description: 'URL of the rate provider' }),
  },
  { description: 'CRC for one USD' },
)
export type ExchangeRate = Static<typeof ExchangeRate>

export const UpstreamParams = Type.Object({
  provider: Type.String({
    pattern: '^[a-z0-9_]{1,64}$',
    description: 'Name of the upstream rate provider, as the service spells it; an emulator’s is `upstream`',
  }),
})
