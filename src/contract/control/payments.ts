import { Type } from 'typebox'
import { FailureText, StateCode } from '../events.ts'
import { Account, AccountParams, AccountStatus } from '../schemas/account.ts'
import { Payment, PaymentParams, PaymentStatus } from '../schemas/payment.ts'
import { closed, described, nullable } from '../schemas/scalars.ts'
import { longestMove } from './clock.ts'
import { controlEndpoint } from './control_endpoint.ts'

export const MovePaymentBody = closed({
  to: described(PaymentStatus, 'Status that the payment can reach, if necessary through `processing`'),
  state_code: Type.Optional(described(nullable(StateCode), 'Code of the failure, only with `failed`')),
  error: Type.Optional(described(nullable(FailureText), 'Reason of the failure, for people; only with `failed`')),
  after_ms: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: longestMove,
        description: 'Delay in milliseconds of the world’s time. Default: 0',
      }),
    ),
  ),
})

export const SetAccountBody = closed({
  status: Type.Optional(AccountStatus),
  balance: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000_000_000_000,
      description: 'Available balance in minor units, without money held for payments in progress',
    }),
  ),
})

const notFound = 'Account not found'

export const paymentEndpoints = {
  'control.payments.move': controlEndpoint({
    method: 'POST',
    path: '/_emulator/payments/{id}/move',
    summary: 'Move a payment to a status that it can reach, now or later',
    description:
      'Follows legal transitions, with all events on the way. 409 for an illegal one, with the legal statuses.',
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
      'The payer is credited with the amount, without the fee. The credit has the SINPE reference in its description and causes `transaction.received`. The payment stays completed. 409 for a payment that is not completed, was returned before, or went to an account of the emulator.',
    params: PaymentParams,
    success: { status: 201, message: 'Payment returned', data: Payment },
    errors: { 404: 'Payment not found', 409: null, 422: null },
  }),
  'control.accounts.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/accounts/{id}',
    summary: 'An account of any user',
    description: 'Unlike the service’s own endpoint, this one finds the accounts of every user.',
    params: AccountParams,
    success: { status: 200, message: 'Account read', data: Account },
    errors: { 404: notFound, 422: null },
  }),
  'control.accounts.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/accounts/{id}',
    summary: 'Set the status or the balance of an account',
    description: 'The balance changes by a ledger entry with a counter-entry, so that the ledger still balances.',
    params: AccountParams,
    body: SetAccountBody,
    success: { status: 200, message: 'Account set', data: Account },
    errors: { 404: notFound },
  }),
} as const
