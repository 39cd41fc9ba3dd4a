import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { RailState } from '../schemas/payment.ts'
import { closed } from '../schemas/scalars.ts'

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
})

/** A rail that is left out stays as it is. One that is named lets payments under way complete unless `under_way` says otherwise. */
export const RailsBody = closed({
  pin: Type.Optional(RailState),
  sinpe_movil: Type.Optional(RailState),
  under_way: Type.Optional(
    closed(
      { pin: Type.Optional(UnderWay), sinpe_movil: Type.Optional(UnderWay) },
      'Result of the payments under way, by rail; only of rails that are offline',
    ),
  ),
})

export const railEndpoints = {
  'control.rails.get': endpoint({
    method: 'GET',
    path: '/_emulator/rails',
    summary: 'Which payment rails are online',
    description: 'Both are online until they are set.',
    access: 'control',
    success: { status: 200, message: 'Rails read', data: RailStates },
    errors: controlErrors,
  }),
  'control.rails.set': endpoint({
    method: 'POST',
    path: '/_emulator/rails',
    summary: 'Put payment rails out of order, or back',
    description:
      'New payments over a rail that is offline end as `service_unavailable`. Those under way complete unless `under_way` says otherwise. A rail that is left out stays as it is.',
    access: 'control',
    body: RailsBody,
    success: { status: 200, message: 'Rails set', data: RailStates },
    errors: controlBodyErrors,
  }),
} as const
