import { say, type Text } from '../words/text.ts'
import { plainLetters, visible } from './text.ts'

/**
 * Result of comparing the name that a caller expects with the name that the service returns.
 *
 * - `same`: the same words, in any order.
 * - `partly`: nothing contradicts, but one name has words that the other lacks, or abbreviates a word.
 * - `other`: each name has a word that the other lacks, or there are too few words to compare.
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
 * Compares two names as people write them, to decide whether they name one account holder. Case, accents, punctuation,
 * particles (`de la`), titles (`Lic.`), spaces within a word (`Mc Adam`) and the order of words don't count. A legal
 * form is recognised in any notation (`S.A.`, `Sociedad Anónima`). All other letters count: the names of two siblings
 * can differ by one letter.
 */
export function compareNames(expected: string, actual: string): NameComparison {
  const [one, other] = [wordsOf(expected), wordsOf(actual)]
  const own = withoutParticles(joinedAs(one, other))
  const unmatched = withoutParticles(joinedAs(other, one))
  let matched = 0
  for (const word of [...own]) {
    const at = unmatched.findIndex(({ key }) => key === word.key)
    if (at === -1) continue
    unmatched.splice(at, 1)
    own.splice(own.indexOf(word), 1)
    if (!word.isForm) matched += 1
  }
  const abbreviated: (readonly [string, string])[] = []
  // Matches the longest abbreviation first, because `Al.` fits fewer words than `A.`.
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

/** Differences between the expected name and the service's name: `without Mora; also Vega; A. for Alberto`. */
export function differenceOf({ missing, extra, abbreviated }: NameComparison): Text {
  const [first = say``, ...more] = [
    ...(extra.length > 0 ? [say`without ${extra.join(' ')}`] : []),
    ...(missing.length > 0 ? [say`also ${missing.join(' ')}`] : []),
    ...abbreviated.map(([short, long]) => say`${short} for ${long}`),
  ]
  return more.reduce((all, part) => say`${all}; ${part}`, first)
}

interface Word {
  /** The word as it is written. */
  readonly text: string
  /** The word in lower case without accents. */
  readonly key: string
  /** True for a company's legal form (`S.A.`), which does not identify the company. */
  readonly isForm: boolean
}

const isForm = ({ isForm }: Word): boolean => isForm

/**
 * Every word that identifies the holder, and the particles, because a particle can be part of a word: `De la O`,
 * `Delao`.
 */
function wordsOf(name: string): Word[] {
  // An apostrophe joins letters, as in D'Avanzo; NFKC would turn U+00B4 into a space. All other marks separate words.
  const text = visible(name.replace(/['’ʼ`´]/g, '').normalize('NFKC'))
  const { rest, forms } = withoutForms(text)
  const words = rest.match(/[\p{L}\p{M}\p{N}]+\.?/gu) ?? []
  const named = words.map((word) => ({ text: word, key: plainLetters(word.replace('.', '')), isForm: false }))
  const untitled = named.slice(named.findIndex(({ key }) => !titles.has(key)))
  return [...(untitled.length >= 2 ? untitled : named), ...forms]
}

/** Joins the words that the other name writes as one word: `Mc Adam`, `McAdam`. */
function joinedAs(words: readonly Word[], others: readonly Word[]): readonly Word[] {
  // A match of a single joined word proves nothing: AnaMora and Ana Mora can be different names.
  const keys = new Set(others.length > 1 ? others.map(({ key }) => key) : [])
  const joined: Word[] = []
  for (let at = 0; at < words.length; ) {
    const length = [3, 2].find((count) => {
      const part = words.slice(at, at + count).filter((word) => !isForm(word))
      return part.length === count && keys.has(part.map(({ key }) => key).join(''))
    })
    const part = words.slice(at, at + (length ?? 1))
    const key = part.map((word) => word.key).join('')
    joined.push({ text: part.map(({ text }) => text).join(' '), key, isForm: part.every(isForm) })
    at += part.length
  }
  return joined
}

/** A name that consists of particles keeps them. */
function withoutParticles(words: readonly Word[]): Word[] {
  const bearing = words.filter(({ text, key }) => !particles.has(key) || text.endsWith('.'))
  return bearing.some((word) => !isForm(word)) ? bearing : [...words]
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Does not include `dos`, which is a number in the names of companies. */
const particles = setOf('de del la las los el y da do van von der')

const titles = setOf('lic licda licdo dr dra ing arq sr sra srta prof profa msc mba')

/**
 * Legal forms of Costa Rican companies, each with a pattern for its spellings at the end of a name. The first pattern
 * that matches decides.
 */
const companyForms: readonly (readonly [form: string, notation: RegExp])[] = (
  [
    ['S.A.', 's\\.? ?a\\.?|sociedad an[oó]nima'],
    ['E.I.R.L.', 'e\\.? ?i\\.? ?r\\.? ?l\\.?|empresa individual de responsabilidad limitada'],
    ['S.R.L.', 's\\.? ?(de )?r\\.? ?l\\.?|sociedad de responsabilidad limitada|(?<!responsabilidad )limitada|ltda\\.?'],
    ['R.L.', 'r\\.? ?l\\.?|responsabilidad limitada'],
  ] as const
).map(([form, notation]) => [form, new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${notation})(?=[\\s,;]*$)`, 'iu')])

function withoutForms(text: string): { readonly rest: string; readonly forms: readonly Word[] } {
  for (const [form, notation] of companyForms) {
    const found = notation.exec(text)
    if (found && found.index > 0) {
      return { rest: text.slice(0, found.index), forms: [{ text: found[0].trim(), key: form, isForm: true }] }
    }
  }
  return { rest: text, forms: [] }
}

/** Abbreviations that people write without a full stop. */
const usual = setOf('ma fco gmo fdo hdez fdez rdez rguez glez gzlez mtz')

/**
 * True for an initial (`A`, `A.`), the beginning of a word (`Ma.`), or some of its letters in order, including the
 * first and the last (`Fco.`). All but initials need a full stop, unless they are in `usual`.
 */
function isAbbreviation(short: Word, long: Word): boolean {
  if (short.isForm || long.isForm || short.key.length >= long.key.length) return false
  if (short.key.length === 1) return long.key.startsWith(short.key)
  if (!short.text.endsWith('.') && !usual.has(short.key)) return false
  return long.key.startsWith(short.key) || isContraction(short.key, long.key)
}

/** True if the letters occur in this order, from the first to the last: `fco`, `francisco`. */
function isContraction(short: string, long: string): boolean {
  if (short.length < 3 || short[0] !== long[0] || short.at(-1) !== long.at(-1)) return false
  let at = 0
  for (const letter of long) if (letter === short[at]) at += 1
  return at === short.length
}
