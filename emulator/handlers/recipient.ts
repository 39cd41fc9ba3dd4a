import type { Address, Recipient, Source } from '../domain/initiate.ts'
import type { Party } from '../domain/payment.ts'
import type { Account, OwnedAccount } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'

/** The holder of an address: an entry of the registry, or an account of this world. */
export function findRecipient(store: Store, { channel, value }: Address): Recipient | undefined {
  const where = channel === 'pin' ? { iban: value, phone: null } : { iban: null, phone: value }
  const entry = store.registry.get(value)
  if (entry) {
    const { name, document_number, document_type, currency, outcome, state_code, failure_text } = entry
    const party = { ...where, name, document_number, document_type }
    return { party, currency, outcome, state_code, failure_text, account: null, owner: null }
  }
  const account = channel === 'pin' ? store.accounts.byIban(value) : store.accounts.byPhone(value)
  if (!account) return undefined
  const party = { ...holderOf(account), ...where }
  const { currency, status, seq, user: owner } = account
  const target = { party, currency, failure_text: null, account: seq, owner }
  if (status === 'active') return { ...target, outcome: 'completed', state_code: null }
  return { ...target, outcome: 'failed', state_code: status === 'closed' ? 'account_closed' : 'account_blocked' }
}

/** The debited account as the payer of a payment. */
export function sourceOf(account: Account): Source {
  const { seq, user, currency, status, balance, iban } = account
  const party = { ...holderOf(account), iban, phone: null }
  return { seq, user, currency, status, available: balance, party }
}

/** The identity of an account's owner. */
export const holderOf = (account: OwnedAccount): Omit<Party, 'iban' | 'phone'> => ({
  name: account.owner_name,
  document_number: account.document_number,
  document_type: account.document_type,
})
