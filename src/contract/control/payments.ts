import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { FailureText, StateCode } from '../events.ts'
import { Payment, PaymentParams, PaymentStatus } from '../schemas/payment.ts'
import { closed, nullable } from '../schemas/scalars.ts'
import { longestMove } from './clock.ts'

/**
 * `to`: a status that the payment can reach, if necessary through `processing`. `state_code` and `error`: reason of the
 * failure, only with `failed`. `after_ms`: delay in milliseconds of the emulator's time; default: now.
 */
export const MovePaymentBody = closed({
  to: PaymentStatus,
  state_code: Type.Optional(nullable(StateCode)),
  error: Type.Optional(nullable(FailureText)),
  after_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: longestMove, description: 'Milliseconds' }))),
})

export const movePaymentEndpoints = {
  'control.payments.move': endpoint({
    method: 'POST',
    path: '/_emulator/payments/{id}/move',
    summary: 'Take a payment to a status that it can reach, now or later',
    description:
      'Only along legal transitions, with all events on the way; an illegal one is refused (409) with the legal ones named.',
    access: 'control',
    params: PaymentParams,
    body: MovePaymentBody,
    success: { status: 200, message: 'Payment moved', data: Payment },
    errors: { ...controlBodyErrors, 404: 'Payment not found', 409: null },
  }),
  'control.payments.return': endpoint({
    method: 'POST',
    path: '/_emulator/payments/{id}/return',
    summary: 'Let the other bank return a completed payment',
    description:
      'The payer is credited with the same amount, without the fee. The credit names the SINPE reference in its description and causes `transaction.received`. The payment stays completed. Refused (409) for a payment that is not completed, was returned before, or went to an account of the emulator.',
    access: 'control',
    params: PaymentParams,
    success: { status: 201, message: 'Payment returned', data: Payment },
    errors: { ...controlErrors, 404: 'Payment not found', 409: null, 422: null },
  }),
} as const
