import { normalizeIban } from '../contract/iban.ts'
import { isPhone, nationalPhone, normalizePhone } from '../contract/phone.ts'
import { UsageError } from '../errors/cli_error.ts'
import { ibanMistake, looksLikeIban, looksLikePhone, phoneMistake } from './order.ts'

/** Exactly one of the two, as the request's body has them. */
export type Recipient = { readonly recipient_iban: string } | { readonly recipient_phone: string }

/**
 * What a text names: an IBAN has letters, a phone has none. Throws UsageError with what is wrong with it; `where` is
 * what the user knows it by.
 */
export function parseRecipient(text: string, where = '--to'): Recipient {
  const what = `${where} "${text}"`
  const hasLetters = /\p{L}/u.test(text)
  if (hasLetters && looksLikeIban(text)) return parseIban(text, what)
  const phone = normalizePhone(text)
  if (isPhone(phone)) return { recipient_phone: nationalPhone(phone) }
  const { problem, hint } = phoneMistake(phone)
  const verdict = hasLetters && looksLikePhone(text) ? 'looks like a phone, but' : 'is not a phone or an IBAN:'
  throw new UsageError(`${what} ${verdict} ${problem}.`, hint)
}

function parseIban(text: string, what: string): Recipient {
  const iban = normalizeIban(text)
  const mistake = ibanMistake(iban)
  if (mistake) throw new UsageError(`${what} ${mistake.problem}.`, mistake.hint)
  return { recipient_iban: iban }
}
