import { ibanFault } from '../../src/contract/index.ts'

/** The right check digits of an IBAN whose own are wrong; null if they are right, or any are accepted. */
export function expectedCheckDigits(iban: string, { lenient }: { readonly lenient: boolean }): string | null {
  const fault = lenient ? null : ibanFault(iban)
  return fault?.reason === 'check digits' ? fault.expected : null
}
