import { buildIban, formatIban, ibanFault, normalizeIban } from '../contract/iban.ts'
import { UsageError } from '../errors/cli_error.ts'
import { kindOf } from './kind.ts'
import { named, oddCharacter, requireVisible, withDigits } from './text.ts'

const example = 'An IBAN looks like this: CR05 0152 0200 1026 2840 66'

/** What is wrong with a text (a clause), and what to write instead. */
export interface Mistake {
  readonly problem: string
  readonly hint: string
}

/**
 * An IBAN of Costa Rica in any usual notation, as the service writes it: `CR` and 20 digits. `name`: what the user calls
 * it, such as `--to`. Throws UsageError with what is wrong with it, check digits included.
 */
export function parseIban(text: string, name?: string): string {
  requireVisible(text, name, 'reordering')
  const iban = normalizeIban(text)
  const like = kindOf(text)
  if (like && like.kind !== 'iban') {
    throw new UsageError(`${named(text, name)} looks like ${like.words}, not like an IBAN.`, example)
  }
  const mistake = ibanMistake(iban)
  if (mistake) throw new UsageError(`${named(text, name)} ${mistake.problem}.`, mistake.hint)
  return iban
}

/** Of a normalized IBAN. Null when form and check digits are good. */
function ibanMistake(iban: string): Mistake | null {
  const fault = ibanFault(iban)
  if (fault === null) return null
  if (fault.reason === 'form') return { problem: formProblem(iban), hint: meantIban(iban) ?? example }
  return {
    problem: `has a typing error: its check digits are ${iban.slice(2, 4)}, but the other digits give ${fault.expected}`,
    hint: `Compare ${formatIban(iban)} digit by digit with the IBAN you were given; any of its digits may be the wrong one`,
  }
}

function formProblem(iban: string): string {
  const none = 'is not a Costa Rican IBAN:'
  if (iban === '') return `${none} it is empty`
  if (/^[0-9]{20}$/.test(iban)) return `${none} it has 20 digits, but not CR before them`
  if (/^[0-9]{17}$/.test(iban)) return `${none} it has 17 digits, like the cuenta cliente that came before IBANs`
  if (!iban.startsWith('CR')) return `${none} it begins with ${iban.slice(0, 2)}, not with CR`
  const odd = oddCharacter(iban.slice(2))
  if (odd) return `${none} its character ${odd.position + 2} is ${odd.name}, not a digit`
  return `${none} it has ${iban.length - 2} digits after CR, not 20`
}

/** The IBAN that was likely meant, if its check digits are right; they come with it where there were none. */
function meantIban(iban: string): string | undefined {
  if (/^[0-9]{17}$/.test(iban)) {
    const built = buildIban(iban.slice(0, 3), iban.slice(3))
    return `Ask for the IBAN. Compare it with ${formatIban(built)}, which is made of these digits`
  }
  const meant = `CR${withDigits(iban.startsWith('CR') ? iban.slice(2) : iban)}`
  return ibanFault(meant) === null ? `Did you mean ${formatIban(meant)}?` : undefined
}

/** It begins like an IBAN, or has as many digits as one; letters in it may be mistyped digits. */
export function looksLikeIban(text: string): boolean {
  const iban = normalizeIban(text)
  return (
    /^(CR|[A-Z]{2}[0-9]|[0-9]{17}$)/.test(iban) ||
    (/[A-Z]/.test(iban) && iban.length > 14 && iban.replace(/[^0-9]/g, '').length >= 10)
  )
}
