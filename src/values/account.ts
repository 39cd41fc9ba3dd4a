import { formatIban, normalizeIban } from '../contract/iban.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { foreign, type Said, say, type Text } from '../words/text.ts'
import { classify } from './classify.ts'
import { parseIban } from './recipient.ts'
import { isPartOf, named, shownPart, visible } from './text.ts'

/** Properties that identify an account. */
export interface NamedAccount {
  readonly id: string
  readonly iban?: string | null | undefined
  readonly status?: string | null | undefined
  readonly balance: { readonly currency?: string | null | undefined }
}

/** Minimum length of a part of an id or an IBAN, in characters. */
const shortestPart = 4

/** Form of a currency's code, by which a user can name an account. */
const currencyForm = /^[A-Z]{3}$/

/**
 * The account that `text` identifies by its id, part of the id, IBAN, last digits of the IBAN, or currency. `name`,
 * such as `--from`, labels the value in messages. Throws UsageError unless exactly one account matches.
 */
export function resolveAccount<Account extends NamedAccount>(
  text: string,
  accounts: readonly Account[],
  name: string | undefined,
): Account {
  requireAccountText(text, name)
  const [account, ...others] = matchingAccounts(text, accounts)
  if (!account) throw new UsageError(noneOf(text, name), yourAccounts(accounts))
  if (others.length === 0) return account
  const all = [account, ...others]
  throw new UsageError(
    say`${named(text, name)} matches ${all.length} of your accounts.`,
    say`They are: ${listed(all)}. Name one by its id, or by more of its IBAN`,
  )
}

/** Refuses text that can't identify an account, before the accounts are requested. */
export function requireAccountText(text: string, name: string | undefined): void {
  const written = visible(text)
  if (written === '') throw new UsageError(say`${name ?? named(text, name)} is empty.`, forms)
  if (currencyForm.test(written.toUpperCase())) return
  if (isIban(written)) return void parseIban(written, name)
  const like = classify(written)
  if (like && ['email', 'url', 'intent'].includes(like.kind)) {
    throw new UsageError(say`${named(text, name)} looks like ${foreign(like.words)}, not like an account.`, forms)
  }
  if (partOf(written).length < shortestPart) {
    throw new UsageError(say`${named(text, name)} is too short: give at least ${shortestPart} characters.`, forms)
  }
  if (!/^[0-9a-f-]+$/.test(partOf(written)))
    throw new UsageError(say`${named(text, name)} does not name an account.`, forms)
}

const forms = { kind: 'name_account' } as const

/** Every account that `text` can mean. */
export function matchingAccounts<Account extends NamedAccount>(
  text: string,
  accounts: readonly Account[],
): readonly Account[] {
  const written = visible(text)
  const part = partOf(written)
  const exact = accounts.filter(({ id }) => id.toLowerCase() === part)
  if (exact.length > 0) return exact
  if (currencyForm.test(written.toUpperCase())) return ofCurrency(written.toUpperCase(), accounts)
  if (isIban(written)) return accounts.filter(({ iban }) => iban === normalizeIban(written))
  const digits = normalizeIban(part)
  const isEnd = (iban: string | null | undefined) => /^\d+$/.test(digits) && iban?.endsWith(digits) === true
  // Digits match an id only at its start or end: mistyped digits of an IBAN may occur in the middle of an id.
  const isOfId = (id: string) => (/^\d+$/.test(part) ? id.startsWith(part) || id.endsWith(part) : isPartOf(part, id))
  return accounts.filter(({ id, iban }) => isOfId(id) || isEnd(iban))
}

/** True if the text begins with CR, as no id does. */
const isIban = (text: string): boolean => normalizeIban(text).startsWith('CR')

/** Removes the spaces of a printed IBAN and the dots of a shortened value (`...0001`). */
const partOf = (text: string): string =>
  text
    .replace(/\s/g, '')
    .replace(/^(\.{2,}|…)|(\.{2,}|…)$/g, '')
    .toLowerCase()

/** Active accounts in this currency; if none is active, all accounts in this currency. */
function ofCurrency<Account extends NamedAccount>(currency: string, accounts: readonly Account[]): readonly Account[] {
  const all = accounts.filter(({ balance }) => balance.currency === currency)
  const active = all.filter(({ status }) => status === 'active')
  return active.length > 0 ? active : all
}

/** Error message for text that matches no account. */
export function noneOf(text: string, name: string | undefined): Text {
  const like = classify(text)
  const isKnown = like && ['phone', 'document', 'uuid', 'reference', 'amount'].includes(like.kind)
  const value = named(text, name)
  if (!isKnown) return say`${value} is not one of your accounts.`
  if (like.kind === 'uuid') return say`${value} is not the id of one of your accounts.`
  return say`${value} looks like ${foreign(like.words)}, and is not one of your accounts.`
}

/** Maximum number of accounts that an error lists. */
const mostListed = 10

/** Hint that lists the accounts to choose from, or says how to open an account. */
export const yourAccounts = (accounts: readonly NamedAccount[]): NextStep | Text =>
  accounts.length === 0 ? { kind: 'open_account' } : say`Your accounts: ${listed(accounts)}`

function listed(accounts: readonly NamedAccount[]): Said {
  const shown = accounts.slice(0, mostListed).map(describeAccount).join(', ')
  const more = accounts.length - mostListed
  return more > 0 ? say`${shown}, and ${more} more` : shown
}

/** Short description of an account: `CRC ...0001 (id ...00c1)`. */
function describeAccount({ id, iban, balance, status }: NamedAccount): string {
  const end = iban ? ` ...${iban.slice(-4)}` : ''
  const state = status && status !== 'active' ? `, ${status}` : ''
  return `${balance.currency ?? 'account'}${end} (id ${shownPart(id)}${state})`
}

/** Description of the paying account for one line on stderr: IBAN, currency and whole id. */
export const accountInFull = ({ id, iban, balance }: NamedAccount): string =>
  [iban ? formatIban(iban) : undefined, balance.currency, id].filter((part) => part).join(', ')
