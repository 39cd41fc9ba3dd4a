import { entityOfIban, nationalPhone } from '../../src/contract/index.ts'
import { type RegistryEntry, registryEntryOf } from '../domain/registry_entry.ts'
import { documentTypeOf, emulatorEntity, expectedCheckDigits, madeUpDocument } from '../domain/sinpe.ts'
import { isoTime, isoTimeOrNull } from '../domain/time.ts'
import { type Account, ibanOf } from '../store/accounts.ts'
import type { User } from '../store/users.ts'
import type { Entry, Item } from './names.ts'
import type { Path } from './problems.ts'
import type { Resolving, SeedAccount } from './resolving.ts'

export function resolveUsers(entries: readonly Entry<Item<'users'>>[], resolving: Resolving): User[] {
  return entries.map((entry, at) => {
    const { value, path } = entry
    const seq = at + 1
    const { name, email = `user${seq}@example.com`, document_number = madeUpDocument(seq) } = value
    const created_at = resolving.time(value.created_at, [...path, 'created_at'], resolving.usual)
    const verified = value.email_verified_at === null ? null : created_at
    const phone = value.phone ? nationalPhone(value.phone) : null
    if (phone !== null) resolving.once('address', phone, [...path, 'phone'])
    return resolving.users.add(entry, (id) => ({
      seq,
      id,
      name,
      email,
      email_verified_at: resolving.time(value.email_verified_at, [...path, 'email_verified_at'], verified),
      phone,
      document_number,
      document_type: value.document_type ?? documentTypeOf(document_number),
      created_at,
      updated_at: created_at,
    }))
  })
}

export const userSeed = ({ seq, updated_at, ...user }: User): Item<'users'> => ({
  ...user,
  email_verified_at: isoTimeOrNull(user.email_verified_at),
  created_at: isoTime(user.created_at),
})

export function resolveAccounts(entries: readonly Entry<Item<'accounts'>>[], resolving: Resolving): SeedAccount[] {
  for (const { value, path } of entries) {
    if (value.iban === undefined) continue
    resolving.once('address', value.iban, [...path, 'iban'])
    const fault = ownIbanFault(value.iban, resolving)
    if (fault) resolving.complain([...path, 'iban'], fault)
  }
  const taken = new Set(entries.map(({ value }) => value.iban))
  return entries.flatMap((entry, at) => {
    const { value, path } = entry
    const owner = resolving.users.find(value.user, [...path, 'user'])
    if (!owner) return []
    const { currency = 'CRC', balance = 0, status = 'active' } = value
    const created_at = resolving.time(value.created_at, [...path, 'created_at'], resolving.usual)
    const updated_at = resolving.time(value.updated_at, [...path, 'updated_at'], created_at)
    const seq = at + 1
    const iban = value.iban ?? ibanOf(currency, seq, (made) => taken.has(made))
    taken.add(iban)
    const account = { seq, user: owner.seq, owner, iban, currency, balance, status, created_at, updated_at }
    return [resolving.accounts.add(entry, (id) => ({ ...account, id }))]
  })
}

export const accountSeed = (account: Account, user: string): Item<'accounts'> => {
  const { id, iban, currency, balance, status, created_at, updated_at } = account
  return { id, user, iban, currency, balance, status, created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
}

/** Reason why an account here can't have an IBAN; null: it can. */
function ownIbanFault(iban: string, resolving: Resolving): string | null {
  const expected = expectedCheckDigits(iban, resolving)
  if (expected !== null) return `the check digits should be ${expected}`
  if (entityOfIban(iban) === emulatorEntity) return null
  return `must be of entity ${emulatorEntity}, which no bank has: CR, two check digits, 0${emulatorEntity}, 14 digits`
}

export function resolveRegistry(entries: readonly Entry<Item<'registry'>>[], resolving: Resolving): RegistryEntry[] {
  return entries.flatMap(({ value, path }) => {
    const entry = resolving.attempt(path, () => registryEntryOf(value, resolving.lenient))
    if (!entry) return []
    const field: Path = [...path, value.phone ? 'phone' : 'iban']
    resolving.once('address', entry.address, field)
    resolving.registry.set(entry.address, entry)
    return [entry]
  })
}

export function registrySeed({ address, entity, state_code, failure_text, ...entry }: RegistryEntry): Item<'registry'> {
  const where = address.startsWith('CR') ? { iban: address } : { phone: address, entity }
  return { ...where, ...entry, ...(state_code && { state_code }), ...(failure_text && { error: failure_text }) }
}
