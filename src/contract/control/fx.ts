import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { nullable } from '../schemas/scalars.ts'

/** CRC for one USD. */
const Rate = Type.Number({ minimum: 0.01, maximum: 1_000_000 })
const Pair = Type.Object({ bid: Type.Number(), ask: Type.Number() })

/** A share of the rate: 0.004 is 0.4 %. */
const Spread = Type.Number({ minimum: 0, maximum: 0.5 })

/**
 * `bid` and `ask` are upstream's as they were set; null where the rate moves by itself. `upstream` and `service` are
 * what the two FX endpoints answer now, whether or not they are `offline`.
 */
export const FxState = Type.Object({
  bid: nullable(Rate),
  ask: nullable(Rate),
  spread: Spread,
  offline: Type.Boolean(),
  upstream: Pair,
  service: Pair,
})

/** What is left out stays as it is; a rate that is null goes back to moving by itself. */
export const FxBody = Type.Object({
  bid: Type.Optional(nullable(Rate)),
  ask: Type.Optional(nullable(Rate)),
  spread: Type.Optional(Spread),
  offline: Type.Optional(Type.Boolean()),
})

export const fxEndpoints = {
  'control.fx.get': endpoint({
    method: 'GET',
    path: '/_emulator/fx',
    summary: 'How exchange rates are made',
    access: 'control',
    success: { status: 200, message: 'Exchange rates read', data: FxState },
    errors: controlErrors,
  }),
  'control.fx.set': endpoint({
    method: 'POST',
    path: '/_emulator/fx',
    summary: 'Set exchange rates, their spread, and whether they are available',
    access: 'control',
    body: FxBody,
    success: { status: 200, message: 'Exchange rates set', data: FxState },
    errors: controlBodyErrors,
  }),
} as const
