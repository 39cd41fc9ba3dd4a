import type { Client } from '../client/client.ts'
import { type Account, isNamed, type Named } from '../client/received.ts'
import type { SendPaymentBody } from '../contract/index.ts'
import { UsageError } from '../errors/cli_error.ts'
import { ContractError, permitted } from '../errors/service_errors.ts'
import { resolveAccount } from '../values/account.ts'
import { foreign, say } from '../words/text.ts'

// The accounts that the rows of a batch debit.

/** The user's accounts by id; null if the token is not allowed to read them. */
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

export const currencyOf = (source: string, accounts: Accounts): string | null =>
  accounts?.get(source)?.balance.currency ?? null

/** Id of the account that a row names. Throws UsageError unless the row names exactly one active account. */
export function sourceOf(text: string, accounts: Accounts): string {
  const id = text.toLowerCase()
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
  if (id === '') throw new UsageError('from is empty.', { kind: 'fill_in_source' })
  if (!accounts) {
    if (isId) return id
    throw new UsageError(
      say`from "${text}" is not the whole id of an account, and this token is not allowed to read accounts, so payctl can't find the account`,
    )
  }
  const account = accounts.get(id) ?? (isId ? undefined : resolveAccount(text, [...accounts.values()], 'from'))
  if (!account) throw new UsageError(say`from ${id} is not one of your accounts`, { kind: 'list_accounts' })
  if (account.status !== 'active')
    throw new UsageError(say`from ${text} is an account that is ${foreign(account.status ?? '')}`)
  return account.id.toLowerCase()
}

interface CurrencyClaims {
  /** Currency stated in each place of the row; an empty string for a place that states none. */
  readonly stated: readonly string[]
  readonly recipient: Pick<SendPaymentBody, 'recipient_iban' | 'recipient_phone'> | undefined
  readonly account: Account | undefined
}

/**
 * Throws UsageError if the stated currencies, the account and the payee's rail contradict each other, or if the payee
 * is the account itself.
 */
export function checkCurrency({ stated, recipient, account }: CurrencyClaims): void {
  const [claimed = '', other] = [...new Set(stated.map((text) => text.toUpperCase()))].filter((text) => text !== '')
  if (other !== undefined) throw new UsageError(say`currency is ${claimed}, but amount is in ${other}`)
  const currency = account?.balance.currency ?? claimed
  if (claimed !== '' && claimed !== currency) {
    throw new UsageError(say`currency is ${claimed}, but the account that pays is in ${currency}`)
  }
  if (recipient?.recipient_phone && currency !== '' && currency !== 'CRC') {
    throw new UsageError(
      say`the payee is a phone: SINPE Móvil carries CRC only, and the account that pays is in ${currency}`,
    )
  }
  if (recipient?.recipient_iban && recipient.recipient_iban === account?.iban) {
    throw new UsageError('the payee is the account that pays')
  }
}
