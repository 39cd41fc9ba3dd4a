import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { RailState } from '../schemas/payment.ts'
import { closed } from '../schemas/scalars.ts'

export const RailStates = Type.Object({ pin: RailState, sinpe_movil: RailState })

/** A rail that is left out stays as it is. */
export const RailsBody = closed({ pin: Type.Optional(RailState), sinpe_movil: Type.Optional(RailState) })

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
      'Payments over a rail that is offline end as `service_unavailable`. A rail that is left out stays as it is.',
    access: 'control',
    body: RailsBody,
    success: { status: 200, message: 'Rails set', data: RailStates },
    errors: controlBodyErrors,
  }),
} as const
