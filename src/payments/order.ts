import { formatIban, ibanFault, normalizeIban } from '../contract/iban.ts'
import type { SendPaymentBody } from '../contract/index.ts'
import { formatMoney, maximumAmount } from '../contract/money.ts'
import { isPhone, nationalPhone, normalizePhone } from '../contract/phone.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { ParsedAmount } from '../values/amount.ts'

// What a payment must be before it is sent. Every check takes the name by which the user knows the value: a flag, a column.

/** A payment as asked for: everything that can be checked here is right. */
export interface Order {
  readonly body: SendPaymentBody
  /** Its idempotency key: repeated, it pays once. */
  readonly key: string
}

/** What a payment is asked for with. */
export interface PaymentRequest {
  /** Id of the account to debit. */
  readonly from: string
  /** An IBAN or a phone in any usual notation. */
  readonly to: string
  /** Minor units of the account's currency. */
  readonly amount: number
  /** What the recipient reads, 15 to 255 characters; the channel has a default. */
  readonly description?: string | undefined
  readonly recipientEmail?: string | undefined
  /** Names the payment: sent again with it, it pays once. Made up when it is not given. */
  readonly idempotencyKey?: string | undefined
}

/** The names by which the user knows the values. */
export type Names = Readonly<Record<Exclude<keyof PaymentRequest, 'from'>, string>>

const ownNames: Names = {
  ...{ to: 'to', amount: 'amount', description: 'description' },
  ...{ recipientEmail: 'recipientEmail', idempotencyKey: 'idempotencyKey' },
}

/** Throws UsageError; nothing is sent. */
export function orderOf(request: PaymentRequest, names: Names = ownNames): Order {
  const { from, to, amount, description, recipientEmail, idempotencyKey } = request
  if (!Number.isSafeInteger(amount) || amount <= 0) {
    throw new UsageError(
      `${names.amount} must be a whole number of minor units, greater than 0.`,
      'For 1500.25: 150025',
    )
  }
  return {
    body: {
      source_account_id: from,
      amount,
      ...parseRecipient(to, names.to),
      ...(description !== undefined && { description: checkDescription(description, names.description) }),
      ...(recipientEmail !== undefined && { recipient_email: checkEmail(recipientEmail, names.recipientEmail) }),
    },
    key: idempotencyKey === undefined ? crypto.randomUUID() : checkKey(idempotencyKey, names.idempotencyKey),
  }
}

/** Minor units. */
export function requireAmount(parsed: ParsedAmount, name: string): number {
  if ('minor' in parsed) return parsed.minor
  throw new UsageError(`${name} ${parsed.fault}.`, parsed.hint)
}

/** More is refused by the service; of a file it is known before its first row leaves. */
export function requirePayable(minor: number, name: string): number {
  if (minor <= maximumAmount) return minor
  throw new UsageError(`${name} is more than one payment can carry: ${formatMoney(maximumAmount, '').trim()}.`)
}

export function checkDescription(text: string, name: string): string {
  const length = Array.from(text).length
  if (length >= 15 && length <= 255) return text
  throw new UsageError(
    `${name} has ${length} characters; the service takes 15 to 255.`,
    length < 15 ? 'Say more, or leave it out for the default of the channel' : 'Shorten it',
  )
}

/** Refuses what can't be an address anywhere; the rest is for the service to say. */
export function checkEmail(text: string, name: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 255) return text
  throw new UsageError(`${name} must be an email address of at most 255 characters.`, 'Mend it, or leave it out')
}

export function checkKey(key: string, name: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new UsageError(
    `${name} must be 1 to 255 visible ASCII characters, without spaces.`,
    'Leave it out to have one made up, or take an order number or a UUID',
  )
}

/** What made-up names of batches begin with. A given name must not, as rows are paid once under a given name. */
export const madeUpPrefix = 'b_'

/** Why a text can't be the id of a batch, if so. */
export function batchIdFault(text: string): 'made up' | 'form' | undefined {
  if (text.startsWith(madeUpPrefix)) return 'made up'
  return /^[\w.:@+][\w.:@+-]{0,63}$/.test(text) ? undefined : 'form'
}

export const batchIdForm = '1 to 64 letters, digits or any of . : @ + - _, not beginning with -'

/** Exactly one of the two, as the request's body has them. */
export type Recipient = { readonly recipient_iban: string } | { readonly recipient_phone: string }

/** What a text names: an IBAN has letters, a phone has none. Throws UsageError with what is wrong with it. */
export function parseRecipient(text: string, name: string): Recipient {
  const what = `${name} "${text}"`
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

/** Of a normalized text that is no phone. */
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

/** It begins like an IBAN, or is as long as one; letters in it may be mistyped digits. */
export function looksLikeIban(text: string): boolean {
  const iban = normalizeIban(text)
  return /^(CR|[A-Z]{2}[0-9])/.test(iban) || (/[0-9]/.test(iban) && iban.length > 14)
}
