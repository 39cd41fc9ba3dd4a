import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { closed, described, nullable } from '../schemas/scalars.ts'
import { largestSpread } from '../spread.ts'

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

export const fxEndpoints = {
  'control.fx.get': endpoint({
    method: 'GET',
    path: '/_emulator/fx',
    summary: 'How exchange rates are made',
    description: 'Upstream’s rates, the spread, and what the two endpoints for rates answer now.',
    access: 'control',
    success: { status: 200, message: 'Exchange rates read', data: FxState },
    errors: controlErrors,
  }),
  'control.fx.set': endpoint({
    method: 'POST',
    path: '/_emulator/fx',
    summary: 'Set exchange rates, their spread, and whether they are available',
    description: 'What is left out stays as it is; a rate that is null moves by itself again.',
    access: 'control',
    body: FxBody,
    success: { status: 200, message: 'Exchange rates set', data: FxState },
    errors: controlBodyErrors,
  }),
} as const
