import { formatIban, ibanFault, normalizeIban } from '../contract/iban.ts'
import { normalizePhone } from '../contract/phone.ts'

/** Letters that are taken for digits. */
const lookalikes: Readonly<Record<string, string>> = { O: '0', Q: '0', I: '1', L: '1', Z: '2', S: '5', G: '6', B: '8' }

const ibanExample = 'An IBAN looks like this: CR05 0152 0200 1026 2840 66'
const phoneExample = 'A phone looks like this: 8888 1234, or +506 8888 1234'

/** What is wrong with a text (a clause), and what to write instead. */
export interface Mistake {
  readonly problem: string
  readonly hint: string
}

/** Of a normalized IBAN. Null when form and check digits are good. */
export function ibanMistake(iban: string): Mistake | null {
  const fault = ibanFault(iban)
  if (fault === null) return null
  if (fault.reason === 'form') return { problem: formProblem(iban), hint: meantIban(iban) ?? ibanExample }
  return {
    problem: `has a typing error: its check digits are ${iban.slice(2, 4)}, but the other digits give ${fault.expected}`,
    hint: `Compare ${formatIban(iban)} digit by digit with the IBAN you were given; any of its digits may be the wrong one`,
  }
}

function formProblem(iban: string): string {
  const none = 'is not a Costa Rican IBAN:'
  if (iban === '') return `${none} it is empty`
  if (/^[0-9]{20}$/.test(iban)) return `${none} it has 20 digits, but not CR before them`
  if (!iban.startsWith('CR')) return `${none} it begins with ${iban.slice(0, 2)}, not with CR`
  const odd = oddCharacter(iban.slice(2))
  if (odd) return `${none} its character ${odd.position + 2} is ${odd.name}, not a digit`
  return `${none} it has ${iban.length - 2} digits after CR, not 20`
}

/** With digits for the letters that look like them, where that gives an IBAN whose check digits are right. */
function meantIban(iban: string): string | undefined {
  const rest = iban.startsWith('CR') ? iban.slice(2) : iban
  const meant = `CR${rest.replace(/[A-Z]/g, (letter) => lookalikes[letter] ?? letter)}`
  return ibanFault(meant) === null ? `Did you mean ${formatIban(meant)}?` : undefined
}

/** Of a normalized phone that is none. */
export function phoneMistake(phone: string): Mistake {
  if (/^[0-9]{20}$/.test(phone)) {
    return { problem: 'it has 20 digits, like an IBAN without CR', hint: `For an IBAN write: CR${phone}` }
  }
  return { problem: phoneProblem(phone), hint: phoneExample }
}

function phoneProblem(phone: string): string {
  if (phone === '') return 'it is empty'
  const odd = oddCharacter(phone)
  if (odd) return `it has ${odd.name} in it, not only digits`
  const national = phone.length === 11 && phone.startsWith('506') ? phone.slice(3) : phone
  if (national.length === 8) return `a phone begins with 2, 6, 7 or 8, not with ${national.charAt(0)}`
  return `a phone has 8 digits, with or without 506 before them, not ${phone.length}`
}

/** The first character that is none of 0 to 9, counted from 1. */
function oddCharacter(text: string): { readonly position: number; readonly name: string } | undefined {
  const at = text.search(/[^0-9]/)
  if (at === -1) return undefined
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  const name = /\p{L}/u.test(character) ? `the letter ${character}` : `"${character}"`
  return { position: at + 1, name }
}

/** Mostly digits, and no more of them than a phone has with its country; one may be mistyped as a letter. */
export function looksLikePhone(text: string): boolean {
  const phone = normalizePhone(text)
  return !/^[A-Z]{2}/i.test(phone) && phone.length <= 12 && phone.replace(/[^0-9]/g, '').length >= 6
}

/** It begins like one, or is as long as one; in it letters may stand for digits. */
export function looksLikeIban(text: string): boolean {
  const iban = normalizeIban(text)
  return /^(CR|[A-Z]{2}[0-9])/.test(iban) || (/[0-9]/.test(iban) && iban.length > 14)
}
