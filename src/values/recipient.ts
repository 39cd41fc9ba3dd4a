import { isPhone, normalizePhone } from '../contract/phone.ts'
import { UsageError } from '../errors/cli_error.ts'
import { looksLikeIban, parseIban } from './iban.ts'
import { kindOf } from './kind.ts'
import { looksLikePhone, parsePhone, phoneMistake } from './phone.ts'
import { named, requireVisible } from './text.ts'

/** Exactly one of the two, as in the request body. */
export type Recipient = { readonly recipient_iban: string } | { readonly recipient_phone: string }

/**
 * Parses a recipient: an IBAN has letters, a phone has none. Throws UsageError that says what is wrong. `orPayee`: true
 * if the caller also accepts the name of a saved payee.
 */
export function parseRecipient(text: string, name?: string, { orPayee = true } = {}): Recipient {
  const phone = normalizePhone(text)
  if (isPhone(phone)) return { recipient_phone: parsePhone(text, name) }
  const what = named(text, name)
  const like = kindOf(text)
  if (like && !['iban', 'phone'].includes(like.kind)) {
    throw new UsageError(`${what} looks like ${like.words}, not like an IBAN or a phone.`, examples(orPayee))
  }
  if (looksLikeIban(text)) return { recipient_iban: parseIban(text, name) }
  requireVisible(text, name)
  if (/\p{L}/u.test(text) && !/\d/.test(text))
    throw new UsageError(
      `${what} is not a phone or an IBAN${orPayee ? ', nor the name of a saved payee' : ''}.`,
      examples(orPayee),
    )
  const { problem, hint } = phoneMistake(text)
  if (like && /^(\+|00)/.test(phone)) throw new UsageError(`${what} looks like ${like.words}.`, hint)
  if (like) throw new UsageError(`${what} looks like ${like.words}: ${problem}.`, hint)
  const isMistyped = /\p{L}/u.test(text) && looksLikePhone(text)
  throw new UsageError(
    `${what} ${isMistyped ? 'looks like a phone, but' : 'is not a phone or an IBAN:'} ${problem}.`,
    hint,
  )
}

const examples = (orPayee: boolean): string =>
  `A payment goes to an IBAN (CR05 0152 0200 1026 2840 66)${orPayee ? ', a phone (8888 1234) or a saved payee (proveedor-luz)' : ' or a phone (8888 1234)'}`
