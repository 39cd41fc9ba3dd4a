import {
  type Currency,
  entityOfIban,
  type IbanStatus,
  nationalPhone,
  type Outcome,
  type RegistryBody,
} from '../../src/contract/index.ts'
import { statusOf } from './lifecycle.ts'
import { invalid } from './refusal.ts'
import { documentTypeOf, emulatorEntity, expectedCheckDigits } from './sinpe.ts'

/** The holder of an IBAN or phone at another bank, and the outcome of payments to this address. */
export interface RegistryEntry {
  /** An IBAN, or the eight digits of a phone number. */
  readonly address: string
  readonly name: string
  readonly document_number: string
  readonly document_type: number
  readonly currency: Currency
  /** Entity code of the bank. */
  readonly entity: string
  readonly outcome: Outcome
  /** State code of payments that fail. */
  readonly state_code: string | null
  /** Text of failed payments; null: the usual text of the state code. */
  readonly failure_text: string | null
  /** The status that a lookup of the IBAN shows. */
  readonly status: IbanStatus
}

/** Code of the bank assumed for a phone number: unlike an IBAN, a phone number does not contain the code of a bank. */
const phoneEntity = '151'

/** `entity` is the code of the bank behind a phone. */
type EntryInput = RegistryBody & { readonly entity?: string }

/**
 * Makes an entry of the registry; `lenient` accepts wrong check digits. Throws a Refusal that names the wrong field.
 */
export const registryEntryOf = (given: EntryInput, lenient: boolean): RegistryEntry => ({
  ...addressOf(given, lenient),
  ...holderOf(given),
})

function addressOf(
  { iban, phone, entity = phoneEntity }: EntryInput,
  lenient: boolean,
): { address: string; entity: string } {
  if (iban && phone) throw invalid('phone', 'Only one of iban and phone should be provided')
  if (phone) return { address: nationalPhone(phone), entity }
  if (!iban) throw invalid('iban', 'The iban field is required when phone is not present.')
  const expected = expectedCheckDigits(iban, { lenient })
  if (expected !== null) throw invalid('iban', `The check digits should be ${expected}`)
  const own = entityOfIban(iban)
  if (own === emulatorEntity) throw invalid('iban', `IBANs of entity ${emulatorEntity} are this emulator’s own`)
  return { address: iban, entity: own }
}

function holderOf(body: RegistryBody): Omit<RegistryEntry, 'address' | 'entity'> {
  const { name, document_number, currency = 'CRC', outcome = 'completed', state_code = null, error = null } = body
  if (body.phone && currency !== 'CRC') throw invalid('currency', 'SINPE Móvil carries CRC only')
  if (state_code !== null && outcome !== 'failed') {
    throw invalid('state_code', 'A state code is allowed only if the outcome is failed')
  }
  if (error !== null && outcome !== 'failed') {
    throw invalid('error', 'An error is allowed only if the outcome is failed')
  }
  return {
    name,
    document_number,
    document_type: body.document_type ?? documentTypeOf(document_number),
    currency,
    outcome,
    state_code: outcome === 'failed' ? (state_code ?? 'rejected') : null,
    failure_text: error,
    status: body.status ?? statusOf(state_code),
  }
}
