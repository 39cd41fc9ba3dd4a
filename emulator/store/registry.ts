import type { Database } from 'better-sqlite3'
import type { Currency } from '../../src/contract/index.ts'
import type { Outcome } from '../domain/payment.ts'

/** The holder of an IBAN or phone at another bank, and how payments to it end. */
export interface RegistryEntry {
  /** An IBAN, or the eight digits of a phone. */
  readonly address: string
  readonly name: string
  readonly document_number: string
  readonly document_type: number
  readonly currency: Currency
  /** Entity code of the bank. */
  readonly entity: string
  readonly outcome: Outcome
}

export type Registry = ReturnType<typeof registryIn>

export function registryIn(db: Database) {
  const byAddress = db.prepare<[string], RegistryEntry>('SELECT * FROM registry WHERE address = ?')
  const insert = db.prepare<[RegistryEntry]>(
    `INSERT INTO registry VALUES (@address, @name, @document_number, @document_type, @currency, @entity, @outcome)`,
  )
  return {
    get: (address: string): RegistryEntry | undefined => byAddress.get(address),
    add: (entry: RegistryEntry): void => {
      insert.run(entry)
    },
  }
}
