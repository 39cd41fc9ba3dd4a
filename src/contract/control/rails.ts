import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { RailState } from '../schemas/payment.ts'
import { closed } from '../schemas/scalars.ts'

export const RailStates = Type.Object({ pin: RailState, sinpe_movil: RailState })

/** A rail that is left out stays as it is. */
export const RailsBody = closed({ pin: Type.Optional(RailState), sinpe_movil: Type.Optional(RailState) })

const Fee = Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Minor units' })

/** What a payment costs its payer by rail, in minor units of its currency. */
export const Fees = Type.Object({ pin: Fee, sinpe_movil: Fee })

/** A rail that is left out keeps its fee. */
export const FeesBody = closed({ pin: Type.Optional(Fee), sinpe_movil: Type.Optional(Fee) })

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
  'control.fees.get': endpoint({
    method: 'GET',
    path: '/_emulator/fees',
    summary: 'What a payment costs',
    description: 'In minor units of the payment’s currency, by rail.',
    access: 'control',
    success: { status: 200, message: 'Fees read', data: Fees },
    errors: controlErrors,
  }),
  'control.fees.set': endpoint({
    method: 'POST',
    path: '/_emulator/fees',
    summary: 'Set what a payment costs from now on',
    description: 'Payments that are under way keep theirs. A rail that is left out keeps its fee.',
    access: 'control',
    body: FeesBody,
    success: { status: 200, message: 'Fees set', data: Fees },
    errors: controlBodyErrors,
  }),
} as const
