/**
 * ISO 13616 for Costa Rica: `CR`, two check digits, a reserved 0, three digits for the entity, and fourteen for the
 * account.
 */

/** A decimal string of any length, modulo 97. */
const mod97 = (digits: string): number =>
  Array.from(digits).reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0)

const CR = '1227' // letters to numbers: C is 12, R is 27

/** The two check digits for an 18-digit BBAN. */
const checkDigits = (bban: string): string => String(98 - mod97(`${bban}${CR}00`)).padStart(2, '0')

/** `entity` is three digits, `account` at most fourteen. */
export function buildIban(entity: string, account: string): string {
  const bban = `0${entity}${account.padStart(14, '0')}`
  return `CR${checkDigits(bban)}${bban}`
}

/** The IBAN in upper case, without the word IBAN, spaces, dashes, points and copied invisible characters. */
export const normalizeIban = (text: string): string =>
  text
    .replace(/[\s.\p{Pd}−\p{Cf}]/gu, '')
    .toUpperCase()
    .replace(/^IBAN:?/, '')

/** Pattern that the service publishes; does not verify check digits. */
export const ibanPattern = '^CR\\d{20}$'

export type IbanFault = { readonly reason: 'form' } | { readonly reason: 'check digits'; readonly expected: string }

/** Fault of a normalized IBAN; null if its form and check digits are right. */
export function ibanFault(iban: string): IbanFault | null {
  if (!new RegExp(ibanPattern).test(iban)) return { reason: 'form' }
  const expected = checkDigits(iban.slice(4))
  return iban.slice(2, 4) === expected ? null : { reason: 'check digits', expected }
}

/** The IBAN in its printed form, in groups of four characters. */
export const formatIban = (iban: string): string => iban.replace(/(.{4})(?=.)/g, '$1 ')

/** An IBAN or a phone for people: `CR05 0152 0200 1026 2840 66`, `8888 1234`. */
export const formatAddress = formatIban
