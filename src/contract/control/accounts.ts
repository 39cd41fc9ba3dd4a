import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { Account, AccountParams, AccountStatus } from '../schemas/account.ts'
import { closed } from '../schemas/scalars.ts'

/**
 * Absent members don't change. `balance` is the available balance in minor units of the account's currency, without
 * money held for payments in progress.
 */
export const SetAccountBody = closed({
  status: Type.Optional(AccountStatus),
  balance: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000_000_000, description: 'Minor units' })),
})

const notFound = 'Account not found'

export const controlAccountEndpoints = {
  'control.accounts.get': endpoint({
    method: 'GET',
    path: '/_emulator/accounts/{id}',
    summary: 'An account of any user',
    description: 'Unlike the service’s own, it finds the accounts of every user.',
    access: 'control',
    params: AccountParams,
    success: { status: 200, message: 'Account read', data: Account },
    errors: { ...controlErrors, 404: notFound, 422: null },
  }),
  'control.accounts.set': endpoint({
    method: 'POST',
    path: '/_emulator/accounts/{id}',
    summary: 'Set the status or the balance of an account',
    description: 'The balance changes by a ledger entry with a counter-entry, so the ledger still balances.',
    access: 'control',
    params: AccountParams,
    body: SetAccountBody,
    success: { status: 200, message: 'Account set', data: Account },
    errors: { ...controlBodyErrors, 404: notFound },
  }),
} as const
