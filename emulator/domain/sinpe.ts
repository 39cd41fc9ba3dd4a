import { type Channel, ibanFault } from '../../src/contract/index.ts'
import { localDate, timeOf } from './time.ts'

/**
 * SINPE's types of identity document, by the format of the document's number. Any other format belongs to a
 * non-resident.
 */
const forms: readonly (readonly [type: number, form: RegExp])[] = [
  [0, /^(0[1-9]|[1-9])\d{8}$/],
  [1, /^1\d{11}$/],
  [2, /^2\d{9}$/],
  [3, /^3\d{9}$/],
  [4, /^4\d{9}$/],
  [5, /^5\d{11}$/],
]
const nonResident = 9

/** Guesses the type of a document from its number. */
export const documentTypeOf = (number: string): number =>
  forms.find(([, form]) => form.test(number))?.[0] ?? nonResident

/** Generates the document number of a Costa Rican citizen, in a range that is not assigned to real people. */
export const madeUpDocument = (seq: number): string => `0100${String(seq).padStart(6, '0')}`

/** Entity code of the emulator: no bank has this code, so no real payment can reach a generated IBAN. */
export const emulatorEntity = '999'

const rails = {
  pin: { channelDigit: '1', service: '22', kind: '01' },
  sinpe_movil: { channelDigit: '2', service: '83', kind: '00' },
} as const

/** Generates 25 digits: local date, `0000`, the rail's digit, twelve digits of a sequence number. */
export function channelReference(sequence: number, channel: Channel, now: number): string {
  return `${localDate(now)}0000${rails[channel].channelDigit}${String(sequence).padStart(12, '0')}`
}

/** Generates 25 digits: local date, entity, service, kind, nine digits of a sequence number, check digit. */
export function sinpeReference(sequence: number, channel: Channel, now: number): string {
  const { service, kind } = rails[channel]
  const prefix = `${localDate(now)}${emulatorEntity}${service}${kind}`
  // A number whose check digit would be 10 can't be used. Of two neighbours that differ only in the last digit, at most
  // one is unusable, so each payment has two numbers to choose from.
  for (const consecutive of [sequence * 2, sequence * 2 + 1]) {
    const digits = `${prefix}${String(consecutive % 1_000_000_000).padStart(9, '0')}`
    const check = sinpeCheckDigit(digits)
    if (check < 10) return `${digits}${check}`
  }
  throw new Error(`No SINPE reference for sequence ${sequence}`)
}

/** Number of the payment with this reference, if the emulator generated the reference; undefined for any other text. */
export function sequenceOf(reference: string): number | undefined {
  const [, channel] = /^\d{8}0000[12](\d{12})$/.exec(reference) ?? []
  if (channel !== undefined) return Number(channel)
  const [, consecutive] = new RegExp(`^\\d{8}${emulatorEntity}\\d{4}(\\d{9})\\d$`).exec(reference) ?? []
  return consecutive === undefined ? undefined : Math.floor(Number(consecutive) / 2)
}

/** Sum of the digits times their weights, modulo 11; the weights are 2 to 9, then 1 to 9 repeatedly. */
export function sinpeCheckDigit(digits: string): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (((i + 1) % 9) + 1)
  return sum % 11
}

/** Entity code in a reference: the bank that issued the reference. */
export const entityOfReference = (reference: string): string => reference.slice(8, 11)

/** Reason why a 25-digit number can't be the SINPE reference of a credit from another bank; null if it can. */
export function referenceFault(reference: string, channel: Channel): string | null {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(reference) ?? []
  const [date, entity, kind] = [reference.slice(0, 8), entityOfReference(reference), reference.slice(11, 15)]
  const expected = `${rails[channel].service}${rails[channel].kind}`
  if (Number.isNaN(timeOf(`${year}-${month}-${day}T00:00:00Z`))) {
    return `The reference must begin with a date that exists, as YYYYMMDD: ${date} is not a date`
  }
  if (entity === emulatorEntity) {
    return `Digits 9 to 11 must be the code of another bank: ${entity} is the emulator’s own code, for references that it generates`
  }
  if (kind !== expected) return `Digits 12 to 15 must be ${expected} for ${channel}, not ${kind}`
  const check = sinpeCheckDigit(reference.slice(0, -1))
  if (check === 10) return 'No reference has these first 24 digits, as their check digit would be 10: change digit 24'
  return reference.endsWith(`${check}`) ? null : `The last digit is a check digit: it should be ${check}`
}

/** Expected check digits of an IBAN whose check digits are wrong; null if they are right or `lenient` accepts any. */
export function expectedCheckDigits(iban: string, { lenient }: { readonly lenient: boolean }): string | null {
  const fault = lenient ? null : ibanFault(iban)
  return fault?.reason === 'check digits' ? fault.expected : null
}
