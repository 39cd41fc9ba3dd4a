import { type Static, Type } from 'typebox'
import { currencies } from '../payment_names.ts'

export const Currency = Type.Enum(currencies, { description: 'Costa Rican colones or US dollars: ISO 4217' })
export type Currency = Static<typeof Currency>

/** Integer that may exceed 32 bits, whose largest amount is 21,474,836.47. */
export const minorUnits = { format: 'int64', description: 'Minor units of the currency: 1000 is 10.00' } as const

export const Money = Type.Object(
  {
    value: Type.Integer(minorUnits),
    currency: Currency,
    formatted: Type.String({ description: 'For display, with thousands separators: `1,000.00 CRC`' }),
  },
  { description: 'An amount of money' },
)
export type Money = Static<typeof Money>
