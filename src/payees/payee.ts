import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { matchingAccounts, type NamedAccount } from '../values/account.ts'
import { kindOf } from '../values/kind.ts'
import { plainLetters } from '../values/text.ts'

/** Whom a payment goes to: exactly one of the two. */
export type PayeeAddress =
  | { readonly iban: string; readonly phone?: never }
  | { readonly phone: string; readonly iban?: never }

/** A payee that a person has saved under a name, for one service. */
export type Payee = PayeeAddress & {
  readonly name: string
  /** Base URL as `normalUrl` spells it, or `emulator`: what is saved for one service never serves for another. */
  readonly service: string
  /** Name of who holds the account or phone, as the service gave it; null until it has. */
  readonly holder: string | null
  readonly bank: string | null
  readonly currency: string | null
  readonly note: string | null
  /** ISO time at which the service last gave this holder; null until it has. */
  readonly verified_at: string | null
}

/** All emulators of this machine share their payees: they come and go, on one port or another, with made-up people. */
export const emulatorService = 'emulator'

/** Why a text is no name of a payee, as a clause; undefined when it is one. */
export function nameFault(name: string): string | undefined {
  const text = name.normalize('NFC')
  if (!/^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{Nd}-])+$/u.test(text))
    return 'a name has letters, digits and dashes only'
  if (Array.from(text).length > longestName) return `a name has at most ${longestName} characters`
  if (!/^[\p{L}\p{Nd}]/u.test(text)) return 'a name begins with a letter or a digit'
  if (!/\p{L}/u.test(text)) return 'a name has at least one letter'
  if (keyOf(text) === 'last') return 'last is the newest payment'
  const bare = text.replaceAll('-', '')
  const like = /[0-9]/.test(bare) ? kindOf(text) : undefined // letters alone are a word
  if (like) return `it reads as ${like.words}`
  const digits = bare.replace(/[^0-9]/g, '').length
  if (/^[A-Za-z]{2}[0-9]/.test(bare) || (bare.length > 14 && digits >= 10)) return 'it reads as an IBAN'
  if (/^[0-9a-f]+$/i.test(bare) && digits > 0) return 'it reads as a part of an id'
  if (bare.length <= 12 && digits >= 6 && !/^[A-Za-z]{2}/.test(bare)) return 'it reads as a phone'
  return undefined
}

const longestName = 64

/** Throws UsageError for what is no name of a payee. */
export function checkedName(text: string): string {
  const name = text.trim().normalize('NFC')
  const fault = nameFault(name)
  if (fault === undefined) return name
  throw new UsageError(`"${text}" can't be the name of a payee: ${fault}.`, 'Give one like proveedor-luz')
}

const keyOf = (name: string): string => name.normalize('NFC').toLowerCase()

/** Names are the same in capitals and small letters. */
export const isSameName = (one: string, other: string): boolean => keyOf(one) === keyOf(other)

/** Without accents too: two such names of two payees would be taken for each other. */
export const isLikeName = (one: string, other: string): boolean => plainLetters(one) === plainLetters(other)

/** Whether the letters stand in a name, whatever their accents and capitals. */
export const isPartOfName = (part: string, name: string): boolean => plainLetters(name).includes(plainLetters(part))

/**
 * Whether two texts are the name of one holder. Banks give a name in capitals, or without its accents, so letters count
 * without them, and any space as one. Other letters, marks and another order of the words are another name: who is asked
 * in vain loses a minute, who is not asked loses the money.
 */
export const isSameHolder = (one: string, other: string): boolean => holderKey(one) === holderKey(other)

const holderKey = (text: string): string =>
  plainLetters(text.replace(/\p{Cf}/gu, ''))
    .replace(/\s+/gu, ' ')
    .trim()

/** The saved payees of one service. */
export class Payees {
  readonly service: string
  readonly all: readonly Payee[]

  constructor(service: string, all: readonly Payee[]) {
    this.service = service
    this.all = all.filter((payee) => payee.service === service)
  }

  find(name: string): Payee | undefined {
    return this.all.find((payee) => isSameName(payee.name, name.trim()))
  }

  /** The payee of that very name. Throws UsageError, which names one that is near; it is never taken. */
  require(name: string): Payee {
    const payee = this.find(name)
    if (payee) return payee
    const near = this.#near(name)
    throw new UsageError(
      `There is no payee "${name.trim()}" for ${this.service === emulatorService ? 'the emulator' : this.service}.`,
      near === undefined ? { kind: 'list_payees' } : `Did you mean ${near}?`,
    )
  }

  /** The text that names an account: the IBAN of a saved payee where `text` is its name, and names no account itself. */
  accountText(text: string, accounts: readonly NamedAccount[]): string {
    const iban = this.find(text)?.iban
    return iban === undefined || matchingAccounts(text, accounts).length > 0 ? text : iban
  }

  #near(name: string): string | undefined {
    const names = this.all.map((payee) => payee.name)
    return names.find((other) => isLikeName(other, name.trim())) ?? nearest(name.trim(), names)
  }
}
