import { type Static, Type } from 'typebox'

export const Currency = Type.Enum(['CRC', 'USD'])
export type Currency = Static<typeof Currency>

/** An amount: `value` in minor units (1000 means 10.00), `formatted` for display (`1,000.00 CRC`). */
export const Money = Type.Object({ value: Type.Integer(), currency: Currency, formatted: Type.String() })
export type Money = Static<typeof Money>
