import { isPhone, nationalPhone, normalizePhone } from '../contract/phone.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { Mistake } from './iban.ts'
import { kindOf } from './kind.ts'
import { named, oddCharacter, requireVisible } from './text.ts'

const example = 'A phone looks like this: 8888 1234, or +506 8888 1234'

/**
 * Parses a Costa Rican phone in any usual notation. Returns its eight national digits. `name` labels the value in
 * messages, such as `--to`. Throws UsageError that says what is wrong.
 */
export function parsePhone(text: string, name?: string): string {
  requireVisible(text, name)
  const phone = normalizePhone(text)
  if (isPhone(phone)) return nationalPhone(phone)
  const like = kindOf(text)
  if (like && like.kind !== 'phone') {
    throw new UsageError(`${named(text, name)} looks like ${like.words}, not like a phone.`, example)
  }
  const { problem, hint } = phoneMistake(text)
  throw new UsageError(`${named(text, name)} is not a Costa Rican phone number: ${problem}.`, hint)
}

/** Explains why `text`, which is not a phone, is wrong. */
export function phoneMistake(text: string): Mistake {
  const phone = normalizePhone(text)
  if (/^[0-9]{20}$/.test(phone)) {
    return { problem: 'it has 20 digits, like an IBAN without CR', hint: `For an IBAN write: CR${phone}` }
  }
  return { problem: phoneProblem(phone), hint: example }
}

function phoneProblem(phone: string): string {
  if (phone === '') return 'it is empty'
  if (/^\d+([.,]\d+)?E\+?\d+$/i.test(phone)) return 'a spreadsheet has shortened it, and digits are lost'
  const abroad = /^(?:\+|00)(\d{1,3})/.exec(phone)
  if (abroad)
    return `it begins with ${phone.startsWith('+') ? '+' : '00'} and not with 506, so it is of another country`
  const odd = oddCharacter(phone)
  if (odd) return `it has ${odd.name} in it, not only digits`
  const national = phone.length === 11 && phone.startsWith('506') ? phone.slice(3) : phone
  if (national.length === 8) return `a phone begins with 2, 6, 7 or 8, not with ${national.charAt(0)}`
  return `a phone has 8 digits, with or without 506 before them, not ${phone.length}`
}

/** True for mostly digits, at most as many as a phone with its country code; a letter may be a mistyped digit. */
export function looksLikePhone(text: string): boolean {
  const phone = normalizePhone(text)
  return !/^[A-Z]{2}/i.test(phone) && phone.length <= 12 && phone.replace(/[^0-9]/g, '').length >= 6
}
