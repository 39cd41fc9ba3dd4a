import type { Client } from '../client/client.ts'
import { type Account, isNamed, type Named } from '../client/received.ts'
import { ContractError, permitted } from '../errors/service_errors.ts'

/** The user's accounts by id; null if the token may not read them. */
export type Accounts = ReadonlyMap<string, Named<Account>> | null

export const readAccounts = (client: Client): Promise<Accounts> => permitted(accountsById(client))

async function accountsById(client: Client): Promise<NonNullable<Accounts>> {
  const accounts = new Map<string, Named<Account>>()
  for await (const account of client.items('accounts.list', { query: { per_page: 100 } })) {
    if (!isNamed(account) || !account.balance.currency) {
      throw new ContractError('The service lists an account without an id or without a currency.')
    }
    accounts.set(account.id.toLowerCase(), account)
  }
  return accounts
}
