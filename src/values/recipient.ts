import { buildIban, formatIban, ibanFault, normalizeIban } from '../contract/iban.ts'
import { isPhone, nationalPhone } from '../contract/phone.ts'
import { UsageError } from '../errors/cli_error.ts'
import { foreign, type Said, say, type Text } from '../words/text.ts'
import { classify } from './classify.ts'
import { named, oddCharacter, phoneIn, requireVisible, withDigits } from './text.ts'

/** Exactly one of IBAN and phone, as in the request body. */
export type Recipient = { readonly recipient_iban: string } | { readonly recipient_phone: string }

/**
 * Parses a recipient: an IBAN has letters, a phone has none. Throws UsageError that says what is wrong. `orPayee`: true
 * if the caller also accepts the name of a saved payee.
 */
export function parseRecipient(text: string, name?: string, { orPayee = true } = {}): Recipient {
  const phone = phoneIn(text)
  if (isPhone(phone)) return { recipient_phone: parsePhone(text, name) }
  const what = named(text, name)
  const like = classify(text)
  if (like && !['iban', 'phone'].includes(like.kind)) {
    throw new UsageError(
      say`${what} looks like ${foreign(like.words)}, not like an IBAN or a phone.`,
      recipientExamples(orPayee),
    )
  }
  if (looksLikeIban(text)) return { recipient_iban: parseIban(text, name) }
  requireVisible(text, name)
  if (/\p{L}/u.test(text) && !/\d/.test(text))
    throw new UsageError(
      orPayee
        ? say`${what} is not a phone or an IBAN, nor the name of a saved payee.`
        : say`${what} is not a phone or an IBAN.`,
      recipientExamples(orPayee),
    )
  const { problem, hint } = phoneMistake(text)
  if (like && /^(\+|00)/.test(phone)) throw new UsageError(say`${what} looks like ${foreign(like.words)}.`, hint)
  if (like) throw new UsageError(say`${what} looks like ${foreign(like.words)}: ${problem}.`, hint)
  const isMistyped = /\p{L}/u.test(text) && looksLikePhone(text)
  throw new UsageError(
    isMistyped ? say`${what} looks like a phone, but ${problem}.` : say`${what} is not a phone or an IBAN: ${problem}.`,
    hint,
  )
}

const recipientExamples = (orPayee: boolean): string =>
  orPayee
    ? 'Give an IBAN (CR05 0152 0200 1026 2840 66), a phone (8888 1234) or a saved payee (proveedor-luz)'
    : 'Give an IBAN (CR05 0152 0200 1026 2840 66) or a phone (8888 1234)'

const ibanExample = 'An IBAN looks like this: CR05 0152 0200 1026 2840 66'

/** A fault of a value, as a clause, and a hint for the user. */
interface Mistake {
  readonly problem: Text
  readonly hint: Said
}

/**
 * Parses a Costa Rican IBAN in any usual notation. Returns `CR` and 20 digits. `name`, such as `--to`, labels the value
 * in messages. Throws UsageError that says what is wrong, including wrong check digits.
 */
export function parseIban(text: string, name?: string): string {
  requireVisible(text, name, 'reordering')
  const iban = normalizeIban(text)
  const like = classify(text)
  if (like && like.kind !== 'iban') {
    throw new UsageError(say`${named(text, name)} looks like ${foreign(like.words)}, not like an IBAN.`, ibanExample)
  }
  const mistake = ibanMistake(iban)
  if (mistake) throw new UsageError(say`${named(text, name)} ${mistake.problem}.`, mistake.hint)
  return iban
}

/** Takes a normalized IBAN. Null if its form and check digits are right. */
function ibanMistake(iban: string): Mistake | null {
  const fault = ibanFault(iban)
  if (fault === null) return null
  if (fault.reason === 'form') return { problem: formProblem(iban), hint: meantIban(iban) ?? ibanExample }
  return {
    problem: say`has a typing error: its check digits are ${iban.slice(2, 4)}, but the other digits give ${fault.expected}`,
    hint: say`Compare ${formatIban(iban)} digit by digit with the IBAN that you were given; any of the digits may be the wrong one`,
  }
}

function formProblem(iban: string): Text {
  if (iban === '') return say`is not a Costa Rican IBAN: it is empty`
  if (/^[0-9]{20}$/.test(iban)) return say`is not a Costa Rican IBAN: it has 20 digits without CR before them`
  if (/^[0-9]{17}$/.test(iban))
    return say`is not a Costa Rican IBAN: it has 17 digits, like the cuenta cliente that came before IBANs`
  if (!iban.startsWith('CR')) return say`is not a Costa Rican IBAN: it begins with ${iban.slice(0, 2)}, not with CR`
  const odd = oddCharacter(iban.slice(2))
  if (odd) return say`is not a Costa Rican IBAN: its character ${odd.position + 2} is ${foreign(odd.name)}, not a digit`
  return say`is not a Costa Rican IBAN: it has ${iban.length - 2} digits after CR, not 20`
}

/**
 * Sentence that suggests the IBAN that the user probably meant. Calculates the check digits for 17 bare digits;
 * otherwise suggests an IBAN only if its check digits are right.
 */
function meantIban(iban: string): Text | undefined {
  if (/^[0-9]{17}$/.test(iban)) {
    const built = buildIban(iban.slice(0, 3), iban.slice(3))
    return say`Ask for the IBAN. Compare it with ${formatIban(built)}, which is built from these digits`
  }
  const meant = `CR${withDigits(iban.startsWith('CR') ? iban.slice(2) : iban)}`
  return ibanFault(meant) === null ? say`Did you mean ${formatIban(meant)}?` : undefined
}

/**
 * True for text that begins like an IBAN, has 17 digits, or is a long mix of letters and digits. Letters may be
 * mistyped digits.
 */
export function looksLikeIban(text: string): boolean {
  const iban = normalizeIban(text)
  return (
    /^(CR|[A-Z]{2}[0-9]|[0-9]{17}$)/.test(iban) ||
    (/[A-Z]/.test(iban) && iban.length > 14 && iban.replace(/[^0-9]/g, '').length >= 10)
  )
}

const phoneExample = 'A phone looks like this: 8888 1234, or +506 8888 1234'

/**
 * Parses a Costa Rican phone number in any usual notation. Returns its eight national digits. `name`, such as `--to`,
 * labels the value in messages. Throws UsageError that says what is wrong.
 */
export function parsePhone(text: string, name?: string): string {
  requireVisible(text, name)
  const phone = phoneIn(text)
  if (isPhone(phone)) return nationalPhone(phone)
  const like = classify(text)
  if (like && like.kind !== 'phone') {
    throw new UsageError(say`${named(text, name)} looks like ${foreign(like.words)}, not like a phone.`, phoneExample)
  }
  const { problem, hint } = phoneMistake(text)
  throw new UsageError(say`${named(text, name)} is not a Costa Rican phone number: ${problem}.`, hint)
}

/** Explains why `text`, which is not a phone, is wrong. */
function phoneMistake(text: string): Mistake {
  const phone = phoneIn(text)
  if (/^[0-9]{20}$/.test(phone)) {
    return { problem: say`it has 20 digits, like an IBAN without CR`, hint: say`For an IBAN write: CR${phone}` }
  }
  return { problem: phoneProblem(phone), hint: phoneExample }
}

function phoneProblem(phone: string): Text {
  if (phone === '') return say`it is empty`
  if (/^\d+([.,]\d+)?E\+?\d+$/i.test(phone)) return say`a spreadsheet has shortened it, and digits are lost`
  const abroad = /^(?:\+|00)(\d{1,3})/.exec(phone)
  if (abroad)
    return say`it begins with ${phone.startsWith('+') ? '+' : '00'} and not with 506, so it is of another country`
  const odd = oddCharacter(phone)
  if (odd) return say`it has ${foreign(odd.name)} in it, not only digits`
  const national = phone.length === 11 && phone.startsWith('506') ? phone.slice(3) : phone
  if (national.length === 8) return say`a phone begins with 2, 6, 7 or 8, not with ${national.charAt(0)}`
  return say`a phone has 8 digits, with or without 506 before them, not ${phone.length}`
}

/**
 * True for text that consists mostly of digits, at most as many as a phone with its country code; a letter may be a
 * mistyped digit.
 */
export function looksLikePhone(text: string): boolean {
  const phone = phoneIn(text)
  return !/^[A-Z]{2}/i.test(phone) && phone.length <= 12 && phone.replace(/[^0-9]/g, '').length >= 6
}
