import { Type } from 'typebox'
import { FailureText, StateCode } from '../events.ts'
import { Account, AccountParams, AccountStatus } from '../schemas/account.ts'
import { Payment, PaymentParams, PaymentStatus } from '../schemas/payment.ts'
import { closed, nullable } from '../schemas/scalars.ts'
import { longestMove } from './clock.ts'
import { controlEndpoint } from './control_endpoint.ts'

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

/**
 * Absent members don't change. `balance` is the available balance in minor units of the account's currency, without
 * money held for payments in progress.
 */
export const SetAccountBody = closed({
  status: Type.Optional(AccountStatus),
  balance: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000_000_000, description: 'Minor units' })),
})

const notFound = 'Account not found'

export const paymentEndpoints = {
  'control.payments.move': controlEndpoint({
    method: 'POST',
    path: '/_emulator/payments/{id}/move',
    summary: 'Take a payment to a status that it can reach, now or later',
    description:
      'Only along legal transitions, with all events on the way; an illegal one is refused (409) with the legal ones named.',
    params: PaymentParams,
    body: MovePaymentBody,
    success: { status: 200, message: 'Payment moved', data: Payment },
    errors: { 404: 'Payment not found', 409: null },
  }),
  'control.payments.return': controlEndpoint({
    method: 'POST',
    path: '/_emulator/payments/{id}/return',
    summary: 'Let the other bank return a completed payment',
    description:
      'The payer is credited with the same amount, without the fee. The credit names the SINPE reference in its description and causes `transaction.received`. The payment stays completed. Refused (409) for a payment that is not completed, was returned before, or went to an account of the emulator.',
    params: PaymentParams,
    success: { status: 201, message: 'Payment returned', data: Payment },
    errors: { 404: 'Payment not found', 409: null, 422: null },
  }),
  'control.accounts.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/accounts/{id}',
    summary: 'An account of any user',
    description: 'Unlike the service’s own, it finds the accounts of every user.',
    params: AccountParams,
    success: { status: 200, message: 'Account read', data: Account },
    errors: { 404: notFound, 422: null },
  }),
  'control.accounts.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/accounts/{id}',
    summary: 'Set the status or the balance of an account',
    description: 'The balance changes by a ledger entry with a counter-entry, so the ledger still balances.',
    params: AccountParams,
    body: SetAccountBody,
    success: { status: 200, message: 'Account set', data: Account },
    errors: { 404: notFound },
  }),
} as const
