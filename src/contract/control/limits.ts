import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { closed, described, nullable } from '../schemas/scalars.ts'

const Limit = nullable(Type.Integer({ minimum: 1, maximum: 100_000_000_000_000 }))

const ofMovil = {
  payment: described(Limit, 'Largest amount of a payment in minor units; null: no limit'),
  day: described(Limit, 'Largest sum that an account may send in a day of Costa Rica, in minor units; null: no limit'),
}

const LimitsAnswer = Type.Enum(['refuse', 'late'], {
  description: '`refuse`: 422 on `amount`. `late`: the payment is accepted, and fails with `limit_exceeded`',
})
export type LimitsAnswer = Static<typeof LimitsAnswer>

/** Limits of the rails per account. */
export const Limits = Type.Object({
  sinpe_movil: Type.Object(ofMovil, { description: 'Limits of SINPE Móvil, for each account' }),
  answer: LimitsAnswer,
})
export type Limits = Static<typeof Limits>

/** Absent members don't change. */
export const LimitsBody = closed({
  sinpe_movil: Type.Optional(
    closed(
      { payment: Type.Optional(ofMovil.payment), day: Type.Optional(ofMovil.day) },
      'Limits of SINPE Móvil, for each account',
    ),
  ),
  answer: Type.Optional(LimitsAnswer),
})

export const limitEndpoints = {
  'control.limits.get': endpoint({
    method: 'GET',
    path: '/_emulator/limits',
    summary: 'How much an account may send',
    description: 'There are no limits until they are set.',
    access: 'control',
    success: { status: 200, message: 'Limits read', data: Limits },
    errors: controlErrors,
  }),
  'control.limits.set': endpoint({
    method: 'POST',
    path: '/_emulator/limits',
    summary: 'Limit the payments over SINPE Móvil, each and by day',
    description:
      'For each account. A day is one of Costa Rica’s calendar (UTC-6). Payments that ended without success do not count. What is left out stays as it is.',
    access: 'control',
    body: LimitsBody,
    success: { status: 200, message: 'Limits set', data: Limits },
    errors: controlBodyErrors,
  }),
} as const
