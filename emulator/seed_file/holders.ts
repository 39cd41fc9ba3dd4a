import { entityOfIban, nationalPhone } from '../../src/contract/index.ts'
import { type RegistryEntry, registryEntryOf } from '../domain/registry_entry.ts'
import { documentTypeOf, emulatorEntity, expectedCheckDigits, madeUpDocument } from '../domain/sinpe.ts'
import { isoTime, isoTimeOrNull } from '../domain/time.ts'
import { ibanOf } from '../store/accounts.ts'
import type { User } from '../store/users.ts'
import type { ListCodec, Resolving, SeedAccount } from './resolving.ts'

export const userCodec: ListCodec<'users', User> = {
  read: (entries, resolving) =>
    entries.map((entry, at) => {
      const { value, path } = entry
      const seq = at + 1
      const { name, email = `user${seq}@example.com`, document_number = madeUpDocument(seq) } = value
      const created_at = resolving.time(value.created_at, [...path, 'created_at'], resolving.usual)
      if (value.created_at !== undefined) resolving.datedUsers.add(seq)
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
    }),
  write: ({ store }) =>
    store.users.all().map(({ seq, updated_at, ...user }) => ({
      ...user,
      email_verified_at: isoTimeOrNull(user.email_verified_at),
      created_at: isoTime(user.created_at),
    })),
}

export const accountCodec: ListCodec<'accounts', SeedAccount> = {
  read(entries, resolving) {
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
  },
  write: ({ store }, { users }) =>
    store.accounts.all().map(({ id, user, iban, currency, balance, status, created_at, updated_at }) => ({
      id,
      user: users.get(user) ?? '',
      iban,
      currency,
      balance,
      status,
      created_at: isoTime(created_at),
      updated_at: isoTime(updated_at),
    })),
}

/** Reason why an IBAN can't belong to an account of this world; null if it can. */
function ownIbanFault(iban: string, resolving: Resolving): string | null {
  const expected = expectedCheckDigits(iban, resolving)
  if (expected !== null) return `the check digits should be ${expected}`
  if (entityOfIban(iban) === emulatorEntity) return null
  return `must be an IBAN of entity ${emulatorEntity}, which no bank has: CR, two check digits, 0${emulatorEntity}, 14 digits`
}

export const registryCodec: ListCodec<'registry', RegistryEntry> = {
  read: (entries, resolving) =>
    entries.flatMap(({ value, path }) => {
      const entry = resolving.attempt(path, () => registryEntryOf(value, resolving.lenient))
      if (!entry) return []
      resolving.once('address', entry.address, [...path, value.phone ? 'phone' : 'iban'])
      resolving.registry.set(entry.address, entry)
      return [entry]
    }),
  write: ({ store }) =>
    store.registry.all().map(({ address, entity, state_code, failure_text, ...entry }) => ({
      ...(address.startsWith('CR') ? { iban: address } : { phone: address, entity }),
      ...entry,
      ...(state_code && { state_code }),
      ...(failure_text && { error: failure_text }),
    })),
}
