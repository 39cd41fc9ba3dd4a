import { buildIban, formatIban, ibanFault, normalizeIban } from '../contract/iban.ts'
import { UsageError } from '../errors/cli_error.ts'
import { kindOf } from './kind.ts'
import { named, oddCharacter, requireVisible, withDigits } from './text.ts'

const example = 'An IBAN looks like this: CR05 0152 0200 1026 2840 66'

/** A fault of a value, as a clause, and a hint for the user. */
export interface Mistake {
  readonly problem: string
  readonly hint: string
}

/**
 * Parses a Costa Rican IBAN in any usual notation. Returns `CR` and 20 digits. `name` labels the value in messages,
 * such as `--to`. Throws UsageError that says what is wrong, including wrong check digits.
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

/** Takes a normalized IBAN. Null if its form and check digits are right. */
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

/**
 * Suggestion of the IBAN that the user probably meant: with check digits calculated for 17 bare digits, otherwise only
 * if its check digits are right.
 */
function meantIban(iban: string): string | undefined {
  if (/^[0-9]{17}$/.test(iban)) {
    const built = buildIban(iban.slice(0, 3), iban.slice(3))
    return `Ask for the IBAN. Compare it with ${formatIban(built)}, which is made of these digits`
  }
  const meant = `CR${withDigits(iban.startsWith('CR') ? iban.slice(2) : iban)}`
  return ibanFault(meant) === null ? `Did you mean ${formatIban(meant)}?` : undefined
}

/** True for text that begins like an IBAN or has as many digits. Letters may be mistyped digits. */
export function looksLikeIban(text: string): boolean {
  const iban = normalizeIban(text)
  return (
    /^(CR|[A-Z]{2}[0-9]|[0-9]{17}$)/.test(iban) ||
    (/[A-Z]/.test(iban) && iban.length > 14 && iban.replace(/[^0-9]/g, '').length >= 10)
  )
}
