import { plainLetters, visible } from './text.ts'

/**
 * Result of comparing the name that a caller expects with the name that the service returns.
 *
 * - `same`: the same words, in any order.
 * - `partly`: nothing contradicts, but one name has words that the other lacks, or abbreviates one.
 * - `other`: a word of each name is missing from the other, or too little is left to compare.
 */
interface NameComparison {
  readonly verdict: 'same' | 'partly' | 'other'
  /** Words of the service's name that the expected name lacks, as the service writes them. */
  readonly missing: readonly string[]
  /** Words of the expected name that the service's name lacks, as the caller writes them. */
  readonly extra: readonly string[]
  /** Pairs of an abbreviation and its word: `A.` and `Alberto`. */
  readonly abbreviated: readonly (readonly [short: string, long: string])[]
}

/**
 * Compares two names of one account holder as people write them. Case, accents, punctuation, particles (`de la`) and
 * the order of words don't count, and forms of a company count in any notation (`S.A.`, `Sociedad Anónima`). Each
 * other letter does: two siblings can differ by one.
 */
export function compareNames(expected: string, actual: string): NameComparison {
  const unmatched = wordsOf(actual)
  const own: Word[] = []
  let matched = 0
  for (const word of wordsOf(expected)) {
    const at = unmatched.findIndex(({ key }) => key === word.key)
    if (at === -1) own.push(word)
    else {
      unmatched.splice(at, 1)
      if (!word.isForm) matched += 1
    }
  }
  const abbreviated: (readonly [string, string])[] = []
  // The longest abbreviation chooses first: `Al.` fits fewer words than `A.`.
  for (const word of own.toSorted((one, other) => other.key.length - one.key.length)) {
    const at = unmatched.findIndex((other) => isAbbreviation(word, other) || isAbbreviation(other, word))
    const [other] = at === -1 ? [] : unmatched.splice(at, 1)
    if (!other) continue
    own.splice(own.indexOf(word), 1)
    abbreviated.push(word.key.length < other.key.length ? [word.text, other.text] : [other.text, word.text])
  }
  const differing = [...unmatched, ...own]
  const isEnough = matched >= 2 || (matched === 1 && abbreviated.length === 0 && differing.every((word) => word.isForm))
  const contradicts = unmatched.length > 0 && own.length > 0
  const isSame = differing.length + abbreviated.length === 0 && matched > 0
  return {
    verdict: isSame ? 'same' : isEnough && !contradicts ? 'partly' : 'other',
    missing: unmatched.map(({ text }) => text),
    extra: own.map(({ text }) => text),
    abbreviated,
  }
}

interface Word {
  /** The word as it is written. */
  readonly text: string
  /** The word in lower case without accents. */
  readonly key: string
  /** The form of a company: it says nothing of which company. */
  readonly isForm: boolean
}

function wordsOf(name: string): Word[] {
  // An apostrophe joins, as in D'Avanzo. All other marks separate words.
  const text = visible(name.normalize('NFKC')).replace(/['’ʼ`´]/g, '')
  const { rest, forms } = withoutForms(text)
  const words = rest.match(/[\p{L}\p{M}\p{N}&]+\.?/gu) ?? []
  const named = words.map((word) => ({ text: word, key: plainLetters(word.replace('.', '')), isForm: false }))
  const bearing = named.filter(({ text, key }) => !particles.has(key) || text.endsWith('.'))
  return [...(bearing.length > 0 ? bearing : named), ...forms]
}

const particles: ReadonlySet<string> = new Set([
  'de',
  'del',
  'la',
  'las',
  'los',
  'el',
  'y',
  'da',
  'do',
  'dos',
  'van',
  'von',
  'der',
  '&',
])

/** Forms of companies in Costa Rica, with the notations of each. */
const companyForms: readonly (readonly [form: string, notation: RegExp])[] = [
  ['S.A.', /\bs\.? ?a\.?(?=[\s,;]*$)|\bsociedad an[oó]nima(?=[\s,;]*$)/iu],
  [
    'S.R.L.',
    /\bs\.? ?r\.? ?l\.?(?=[\s,;]*$)|\b(sociedad de responsabilidad )?limitada(?=[\s,;]*$)|\bltda\.?(?=[\s,;]*$)/iu,
  ],
]

function withoutForms(text: string): { readonly rest: string; readonly forms: readonly Word[] } {
  for (const [form, notation] of companyForms) {
    const found = notation.exec(text)
    if (found && found.index > 0) {
      return { rest: text.slice(0, found.index), forms: [{ text: found[0].trim(), key: form, isForm: true }] }
    }
  }
  return { rest: text, forms: [] }
}

/** An initial (`A`, `A.`), or the beginning of a word with a full stop (`Ma.`). */
const isAbbreviation = (short: Word, long: Word): boolean =>
  !short.isForm &&
  !long.isForm &&
  short.key.length < long.key.length &&
  (short.key.length === 1 || short.text.endsWith('.')) &&
  long.key.startsWith(short.key)
