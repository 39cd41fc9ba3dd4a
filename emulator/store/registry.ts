import type { RegistryEntry } from '../domain/registry_entry.ts'
import type { Statements } from './database.ts'

export function registryIn(db: Statements) {
  const byAddress = db.prepare<[string], RegistryEntry>('SELECT * FROM registry WHERE address = ?')
  const insert = db.prepare<[RegistryEntry]>(
    `INSERT INTO registry VALUES (@address, @name, @document_number, @document_type, @currency, @entity, @outcome, @state_code,
       @status, @failure_text)`,
  )
  const all = db.prepare<[], RegistryEntry>('SELECT * FROM registry ORDER BY name, address')
  const remove = db.prepare<[string]>('DELETE FROM registry WHERE address = ?')
  return {
    /** All entries, sorted by name, then by address, so that a holder's phone precedes the IBAN. */
    all: (): RegistryEntry[] => all.all(),
    get: (address: string): RegistryEntry | undefined => byAddress.get(address),
    add: (entry: RegistryEntry): void => {
      insert.run(entry)
    },
    remove: (address: string): void => {
      remove.run(address)
    },
  }
}
