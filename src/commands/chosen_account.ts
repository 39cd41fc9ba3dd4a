import { isUuid } from '../cli/arguments.ts'
import type { Context } from '../cli/command.ts'
import type { Account, Named } from '../client/received.ts'
import { emulatorProfile, findProfile } from '../config/profile.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { permitted } from '../errors/service_errors.ts'
import { nameFault, type Payees } from '../payees/payee.ts'
import {
  accountInFull,
  matchingAccounts,
  noneOf,
  requireAccountText,
  resolveAccount,
  yourAccounts,
} from '../values/account.ts'
import { parseCurrency } from '../values/amount.ts'
import { named as shownValue } from '../values/text.ts'
import { foreign, say } from '../words/text.ts'

/** One of the user's accounts. */
export interface ChosenAccount {
  readonly id: string
  /** The account, if it had to be read to find its id. */
  readonly account?: Named<Account>
}

interface Choice {
  /** Name of the flag in messages: `--from`. */
  readonly name?: string
  readonly need?: 'token' | 'payment' | undefined
  /**
   * True if the command is about the account: a missing account is then an answer (exit 3), not a mistake in a flag.
   */
  readonly isSubject?: boolean
}

/** Finds the account that the user named. A complete id needs no request. */
export async function chosenAccount(
  text: string,
  { name, need, isSubject }: Choice,
  context: Context,
): Promise<ChosenAccount> {
  const id = text.trim().toLowerCase()
  if (isUuid(id)) return { id }
  const payees = await payeesIfName(text, context)
  if (!payees?.find(text)) requireAccountText(text, name)
  const accounts = await accountsOf(context, need)
  if (!accounts) {
    throw new CliError(
      'forbidden',
      say`This token is not allowed to read accounts, so ${shownValue(text, name)} can't be found.`,
      'Give the whole id of the account, or use a token with the scope read-accounts',
    )
  }
  const named = payees?.accountText(text, accounts) ?? text
  if (isSubject && matchingAccounts(named, accounts).length === 0) {
    throw new CliError('not_found', noneOf(named, name), yourAccounts(accounts))
  }
  const account = resolveAccount(named, accounts, name)
  return { id: account.id, account }
}

/** Saved payees, which may include the user's own accounts; undefined if the text cannot be a payee's name. */
async function payeesIfName(text: string, context: Context): Promise<Payees | undefined> {
  if (parseCurrency(text) || nameFault(text.trim()) !== undefined) return undefined
  const { savedPayees } = await import('../cli/saved_payees.ts')
  return savedPayees(context)
}

/** Reads all accounts; undefined if the token is not allowed to read them. */
async function accountsOf(context: Context, need: Choice['need']): Promise<readonly Named<Account>[] | undefined> {
  const { readAccounts } = await import('../payments/accounts.ts')
  const accounts = await readAccounts(await context.client(need))
  return accounts ? [...accounts.values()] : undefined
}

/**
 * Finds the user's only account, for a command that only reads. Throws a UsageError, which lists the accounts, unless
 * there is exactly one.
 */
export async function onlyAccount(context: Context): Promise<ChosenAccount> {
  const accounts = (await accountsOf(context, 'token')) ?? []
  const [account] = accounts
  if (account && accounts.length === 1) return { id: account.id, account }
  throw new UsageError("missing required argument 'account'.", yourAccounts(accounts))
}

/** Throws UsageError for an account that can't pay. */
export function requireActive({ account }: ChosenAccount, name: string): void {
  const { status } = account ?? {}
  if (!account || !status || status === 'active') return
  throw new UsageError(
    say`${name} names an account that is ${foreign(status)}: ${accountInFull(account)}.`,
    'Choose another one',
  )
}

/**
 * The account that the profile pays from by default. For a service, this is the id of the account; for an emulator, the
 * value that the user typed.
 */
export async function defaultAccount(context: Context): Promise<string | undefined> {
  const { settings, profile } = await context.target()
  return profile === emulatorProfile ? findProfile(context.config, profile)?.from : settings.from
}

/** Prints on stderr which account pays, for a run that does not ask the user. */
export function noteAccount({ id, account }: ChosenAccount, isDefault: boolean, { output }: Context): void {
  output.note(
    isDefault
      ? say`From ${account ? accountInFull(account) : id}, the account of the profile`
      : say`From ${account ? accountInFull(account) : id}`,
  )
}

/** Currency code of an account; null if the token is not allowed to read it. */
export async function currencyOf({ id, account }: ChosenAccount, context: Context): Promise<string | null> {
  if (account) return account.balance.currency ?? null
  const client = await context.client()
  const found = await permitted(client.call('accounts.get', { params: { id } }))
  return found?.balance.currency ?? null
}
