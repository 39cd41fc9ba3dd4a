import type { Client } from '../../client/client.ts'
import type { Account } from '../../contract/index.ts'
import { ApiError, ContractError } from '../../errors/service_errors.ts'
import type { Currencies } from './result_row.ts'
import type { Accounts } from './row.ts'

/** The user's accounts by id; null when the token may not read them. */
export async function readAccounts(client: Client): Promise<Accounts> {
  const accounts = new Map<string, Account>()
  try {
    for await (const account of client.items('accounts.list', { query: { per_page: 100 } })) {
      if (typeof account?.id !== 'string' || typeof account.balance?.currency !== 'string') {
        throw new ContractError('The service lists an account without an id or without a currency.')
      }
      accounts.set(account.id.toLowerCase(), account)
    }
    return accounts
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null
    throw error
  }
}

export const currenciesOf = (accounts: Accounts): Currencies =>
  new Map([...(accounts ?? [])].map(([id, { balance }]) => [id, balance.currency]))
