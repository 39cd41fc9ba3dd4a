import type { Context } from '../../cli/command.ts'
import { moneyText } from '../../contract/money.ts'
import { CliError } from '../../errors/cli_error.ts'
import { ApiError } from '../../errors/service_errors.ts'
import type { Order } from '../../journal/intent.ts'
import { readAccounts } from '../../payments/accounts.ts'
import { zonedTime } from '../../run/time.ts'
import { foreign, say, type Text } from '../../words/text.ts'
import { shownAddress, type WrongRows } from './batch_results.ts'

// Balances of accounts, shown if a payment is refused for lack of money.

const isLack = (message: string): boolean => /insufficient balance/i.test(message)

/**
 * Adds the account's balance to a refusal for lack of money. Returns other errors unchanged, and also the refusal if
 * the account can't be read.
 */
export async function withBalance(error: unknown, { body }: Order, context: Context): Promise<unknown> {
  if (!(error instanceof ApiError) || !isLack(error.message)) return error
  try {
    const client = await context.client()
    const { balance } = await client.call('accounts.get', { params: { id: body.source_account_id } })
    const had = moneyText(balance)
    if (had === '') return error
    const message = say`${foreign(error.message)}: the account had ${had} at ${zonedTime(new Date().toISOString())}.`
    return new CliError('rejected', message, { kind: 'list_accounts' }, { cause: error })
  } catch {
    return error
  }
}

/** Awaits the work for a payment, and adds the account's balance to a refusal for lack of money. */
export const withBalanceIfLacking = <T>(work: Promise<T>, order: Order, context: Context): Promise<T> =>
  work.catch(async (error) => {
    throw await withBalance(error, order, context)
  })

/** A line for each account in a currency in which rows of a batch lacked money; empty if accounts can't be read. */
export async function balancesAfter({ rows }: WrongRows, context: Context): Promise<readonly Text[]> {
  const short = rows.filter(({ error }) => error !== null && isLack(error))
  const currencies = new Set(short.map(({ amount }) => ('currency' in amount ? amount.currency : null)))
  if (currencies.size === 0) return []
  const accounts = await context
    .client()
    .then(readAccounts)
    .catch(() => null)
  const time = zonedTime(new Date().toISOString())
  return [...(accounts?.values() ?? [])]
    .filter(({ balance }) => currencies.has(balance.currency) && moneyText(balance) !== '')
    .map(({ id, iban, balance }) => say`  ${iban ? shownAddress(iban) : id} had ${moneyText(balance)} at ${time}`)
}
