import { type Static, Type } from 'typebox'
import { closed } from '../schemas/scalars.ts'

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
