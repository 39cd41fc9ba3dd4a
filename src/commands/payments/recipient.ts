import { formatIban, ibanFault, normalizeIban } from '../../contract/iban.ts'
import { isPhone, nationalPhone, normalizePhone } from '../../contract/phone.ts'
import { UsageError } from '../../output/cli_error.ts'

/** Exactly one of the two, as the request's body has them. */
export type Recipient = { readonly recipient_iban: string } | { readonly recipient_phone: string }

/**
 * What a text names: an IBAN has letters, a phone has none. Throws UsageError with what is wrong with it; `where` is
 * what the user knows it by.
 */
export function parseRecipient(text: string, where = '--to'): Recipient {
  if (/\p{L}/u.test(text)) return parseIban(normalizeIban(text), `${where} "${text}"`)
  const phone = normalizePhone(text)
  if (isPhone(phone)) return { recipient_phone: nationalPhone(phone) }
  throw new UsageError(`${where} "${text}" is not a phone or an IBAN: ${phoneProblem(phone)}.`, phoneHint(phone))
}

function parseIban(iban: string, what: string): Recipient {
  const fault = ibanFault(iban)
  if (!fault) return { recipient_iban: iban }
  if (fault.reason === 'form') {
    throw new UsageError(`${what} is not a Costa Rican IBAN: ${formProblem(iban)}.`, ibanHint)
  }
  throw new UsageError(
    `${what} has a typing error: its check digits are ${iban.slice(2, 4)}, but the other digits give ${fault.expected}.`,
    `Compare ${formatIban(iban)} digit by digit with the IBAN you were given; any of its digits may be the wrong one`,
  )
}

const ibanHint = 'An IBAN looks like this: CR05 0152 0200 1026 2840 66'

function formProblem(iban: string): string {
  if (!iban.startsWith('CR')) return `it begins with ${iban.slice(0, 2)}, not with CR`
  if (!/^CR[0-9]*$/.test(iban)) return 'after CR it may have digits only'
  return `it has ${iban.length - 2} digits after CR, not 20`
}

function phoneProblem(phone: string): string {
  if (phone === '') return 'it is empty'
  if (!/^[0-9]+$/.test(phone)) return 'it has characters other than digits'
  if (phone.length === 20) return 'it has 20 digits, like an IBAN without CR'
  const national = phone.length === 11 && phone.startsWith('506') ? phone.slice(3) : phone
  if (national.length === 8) return `a phone begins with 2, 6, 7 or 8, not with ${national.charAt(0)}`
  return `a phone has 8 digits, with or without 506 before them, not ${phone.length}`
}

const phoneHint = (phone: string): string =>
  /^[0-9]{20}$/.test(phone)
    ? `For an IBAN write: --to CR${phone}`
    : 'A phone looks like this: 8888 1234, or +506 8888 1234'
