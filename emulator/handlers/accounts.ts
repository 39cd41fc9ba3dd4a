import { formatMoney, type InputOf, money, type OutputOf } from '../../src/contract/index.ts'
import { paginate } from '../domain/paginator.ts'
import { Refusal } from '../domain/refusal.ts'
import { timestamp, timestampOrNull } from '../domain/time.ts'
import { type Context, callerOf, pageRequest } from '../http/context.ts'
import type { Account } from '../store/accounts.ts'

export function getUser(_: unknown, context: Context): OutputOf<'user.get'> {
  const user = context.world.store.users.get(callerOf(context))
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    email_verified_at: timestampOrNull(user.email_verified_at),
    created_at: timestamp(user.created_at),
    updated_at: timestamp(user.updated_at),
  }
}

export function listAccounts({ query }: InputOf<'accounts.list'>, context: Context): OutputOf<'accounts.list'> {
  const { request, window } = pageRequest(query, context)
  const { items, total } = context.world.store.accounts.list(callerOf(context), window)
  return paginate({ items: items.map(detailed), total }, request, context.world.options.locale)
}

export function createAccount({ body }: InputOf<'accounts.create'>, context: Context): OutputOf<'accounts.create'> {
  const { world, now } = context
  const { currency } = body
  const { id, iban } = world.store.accounts.add({
    id: world.ids(),
    user: callerOf(context),
    currency,
    created_at: now,
  })
  return { id, iban, currency, created_at: timestamp(now), updated_at: timestamp(now) }
}

export function getAccount({ params }: InputOf<'accounts.get'>, context: Context): OutputOf<'accounts.get'> {
  return detailed(ownAccount(params.id, context))
}

export function getBalance({ params }: InputOf<'accounts.balance'>, context: Context): OutputOf<'accounts.balance'> {
  const { iban, currency, balance } = ownAccount(params.id, context)
  return { iban, currency, balance, formatted: formatMoney(balance, currency) }
}

/** Throws 404 for an unknown account, and for an account of another user. */
function ownAccount(id: string, context: Context): Account {
  const account = context.world.store.accounts.get(id.toLowerCase())
  if (account?.user !== callerOf(context)) throw new Refusal(404)
  return account
}

/** An account in the form in which the read endpoints show it. */
export const detailed = (account: Account): OutputOf<'accounts.get'> => ({
  id: account.id,
  document_number: account.document_number,
  document_type: account.document_type,
  iban: account.iban,
  balance: money(account.balance, account.currency),
  owner_name: account.owner_name,
  status: account.status,
  created_at: timestamp(account.created_at),
  updated_at: timestamp(account.updated_at),
})
