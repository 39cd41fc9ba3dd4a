import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { matchingAccounts, type NamedAccount } from '../values/account.ts'
import { classify } from '../values/classify.ts'
import { compareNames } from '../values/holder_name.ts'
import { plainLetters } from '../values/text.ts'
import { foreign, say } from '../words/text.ts'

/** Account or phone that a payment goes to: exactly one of the two. */
export type PayeeAddress =
  | { readonly iban: string; readonly phone?: never }
  | { readonly phone: string; readonly iban?: never }

/** A payee saved under a name for one service. */
export type Payee = PayeeAddress & {
  readonly name: string
  /** Base URL as `normalUrl` spells it, or `emulator`. A payee of one service is never used at another service. */
  readonly service: string
  /** Name of the holder of the account or phone, from the service; null until looked up. */
  readonly holder: string | null
  readonly bank: string | null
  readonly currency: string | null
  readonly note: string | null
  /** ISO time of the last lookup of this holder; null before the first lookup. */
  readonly verified_at: string | null
}

/**
 * Value of `service` for payees that all emulators of this machine share: emulators use changing ports and generated
 * people.
 */
export const emulatorService = 'emulator'

/** Clause that says why a value can't be a payee's name; undefined if it can. */
export function nameFault(name: string): string | undefined {
  const text = name.normalize('NFC')
  if (!/^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{Nd}-])+$/u.test(text))
    return 'a name has letters, digits and dashes only'
  if (Array.from(text).length > longestName) return `a name has at most ${longestName} characters`
  if (!/^[\p{L}\p{Nd}]/u.test(text)) return 'a name begins with a letter or a digit'
  if (!/\p{L}/u.test(text)) return 'a name has at least one letter'
  if (keyOf(text) === 'last') return 'last stands for the newest payment'
  const bare = text.replaceAll('-', '')
  const like = /[0-9]/.test(bare) ? classify(text) : undefined // letters alone are a name, not an id
  if (like) return `it looks like ${like.words}`
  const digits = bare.replace(/[^0-9]/g, '').length
  if (/^[A-Za-z]{2}[0-9]/.test(bare) || (bare.length > 14 && digits >= 10)) return 'it looks like an IBAN'
  if (/^[0-9a-f]+$/i.test(bare) && digits > 0) return 'it looks like a part of an id'
  if (bare.length <= 12 && digits >= 6 && !/^[A-Za-z]{2}/.test(bare)) return 'it looks like a phone'
  return undefined
}

const longestName = 64

/** Throws UsageError if the value can't be a payee's name. */
export function checkedName(text: string): string {
  const name = text.trim().normalize('NFC')
  const fault = nameFault(name)
  if (fault === undefined) return name
  throw new UsageError(
    say`"${text}" can't be the name of a payee: ${foreign(fault)}.`,
    'Give a name like proveedor-luz',
  )
}

const keyOf = (name: string): string => name.normalize('NFC').toLowerCase()

/** True if the names differ at most in case. */
export const isSameName = (one: string, other: string): boolean => keyOf(one) === keyOf(other)

/** True if the names differ at most in case and accents: people would confuse two such payees. */
export const isLikeName = (one: string, other: string): boolean => plainLetters(one) === plainLetters(other)

/** True if `part` occurs in the name, ignoring accents and case. */
export const isPartOfName = (part: string, name: string): boolean => plainLetters(name).includes(plainLetters(part))

/**
 * True if both strings are the whole name of one holder. Banks write names in capitals or without accents, and surnames
 * first, so case, accents, order and particles don't count. A missing word makes a different name: a needless question
 * costs a minute, but a missing question can cost the money.
 */
export const isSameHolder = (one: string, other: string): boolean =>
  holderKey(one) === holderKey(other) || compareNames(one, other).verdict === 'same'

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

  /**
   * Finds the payee with exactly this name (in any case). Throws UsageError for an unknown name; the error suggests a
   * similar name, but payctl never uses that name by itself.
   */
  require(name: string): Payee {
    const payee = this.find(name)
    if (payee) return payee
    const near = this.#near(name)
    throw new UsageError(
      say`No payee "${name.trim()}" is saved for ${this.service === emulatorService ? say`the emulator` : this.service}.`,
      near === undefined ? { kind: 'list_payees' } : say`Did you mean ${near}?`,
    )
  }

  /** IBAN of the payee named `text`, if `text` matches no account; otherwise `text`. */
  accountText(text: string, accounts: readonly NamedAccount[]): string {
    const iban = this.find(text)?.iban
    return iban === undefined || matchingAccounts(text, accounts).length > 0 ? text : iban
  }

  #near(name: string): string | undefined {
    const names = this.all.map((payee) => payee.name)
    return names.find((other) => isLikeName(other, name.trim())) ?? nearest(name.trim(), names)
  }
}
