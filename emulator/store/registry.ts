import type { Currency, IbanStatus, Outcome, StateCode } from '../../src/contract/index.ts'
import type { Statements } from './statements.ts'

/** The holder of an IBAN or phone at another bank, and how payments to them end. */
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
  /** Why payments fail, if they do. */
  readonly state_code: StateCode | null
  /** The status that a lookup of the IBAN shows. */
  readonly status: IbanStatus
}

export type Registry = ReturnType<typeof registryIn>

export function registryIn(db: Statements) {
  const byAddress = db.prepare<[string], RegistryEntry>('SELECT * FROM registry WHERE address = ?')
  const insert = db.prepare<[RegistryEntry]>(
    `INSERT INTO registry VALUES (@address, @name, @document_number, @document_type, @currency, @entity, @outcome, @state_code,
       @status)`,
  )
  const all = db.prepare<[], RegistryEntry>('SELECT * FROM registry ORDER BY name, address')
  const remove = db.prepare<[string]>('DELETE FROM registry WHERE address = ?')
  return {
    /** By name, then by address: a holder's phone comes before the IBAN. */
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
