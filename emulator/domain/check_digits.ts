import { ibanFault } from '../../src/contract/index.ts'

/** Expected check digits of an IBAN with wrong ones; null if they are right or `lenient` accepts any. */
export function expectedCheckDigits(iban: string, { lenient }: { readonly lenient: boolean }): string | null {
  const fault = lenient ? null : ibanFault(iban)
  return fault?.reason === 'check digits' ? fault.expected : null
}
