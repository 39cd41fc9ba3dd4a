import { formatAddress, ibanFault, normalizeIban } from '../contract/iban.ts'
import { isPhone } from '../contract/phone.ts'
import { UsageError } from '../errors/cli_error.ts'
import { phoneIn } from '../values/text.ts'
import { say, type Text } from '../words/text.ts'

// Joins the words of a command line or a typed line into values: `8700 0001` is one phone number.

/** True for the name of a saved payee. */
type IsName = (word: string) => boolean

/**
 * Joins words into valid phone numbers and IBANs, in order. If some words can't be read in this way, also joins words
 * into text that only has the form of an IBAN. Text that is not a value is left for the caller to refuse. Throws
 * UsageError with both readings if there are two.
 */
export function groupedWords(words: readonly string[], isName: IsName): readonly string[] {
  return runsOf(words.flatMap(separated)).flatMap((run) => valuesOf(run, isName))
}

/** True if every word is part of a phone, an IBAN or the name of a saved payee. */
export const areValues = (words: readonly string[], isName: IsName): boolean =>
  groupedWords(words, isName).every((text) => isValue(text) || isName(text))

const isValue = (text: string): boolean => isPhone(phoneIn(text)) || ibanFault(normalizeIban(text)) === null

const isIbanForm = (text: string): boolean => /^CR\d{20}$/.test(normalizeIban(text))

/** A comma or semicolon between values. */
const boundary = null

/** Splits at commas and semicolons, unless they are part of a number: `8,7000001E7`. */
function separated(word: string): readonly (string | null)[] {
  if (isValue(word) || !/[,;]/.test(word)) return [word]
  return word.split(/[,;]/).flatMap((part, at): (string | null)[] => {
    const text = part.trim()
    return [...(at === 0 ? [] : [boundary]), ...(text === '' ? [] : [text])]
  })
}

/**
 * Part of a phone or IBAN, in which letters may be mistyped digits. A word with a space was quoted: it is a whole
 * value.
 */
const partForm = /^(IBAN:?|tel:)?(CR)?(?=.*\d|$)[+([]*[\dOQILZSGB.()[\]\p{Pd}−]*$/iu

/** A word that belongs to the value after it. */
const isLabel = (word: unknown): boolean => typeof word === 'string' && /^(IBAN:?|tel:)$/i.test(word)

/** Groups of neighbouring words that may belong together. A word that can only begin a value begins a group. */
function runsOf(words: readonly (string | null)[]): readonly (readonly string[])[] {
  const runs: string[][] = []
  let isOpen = false
  for (const [at, word] of words.entries()) {
    if (word === boundary) {
      isOpen = false
      continue
    }
    const isPart = partForm.test(word) && word !== '' && word !== '-'
    const isBeginning = /^(IBAN|tel:|CR|\+)/i.test(word) && !isLabel(words[at - 1])
    if (isPart && isOpen && !isBeginning) runs.at(-1)?.push(word)
    else runs.push([word])
    isOpen = isPart
  }
  return runs
}

function valuesOf(run: readonly string[], isName: IsName): readonly string[] {
  const readings = readingsOf(run, (text, length) => isValue(text) || (length === 1 && isName(text)))
  if (readings.length > 1) throw twoReadings(run, readings)
  const [reading] = readings.length > 0 ? readings : readingsOf(run, (text) => isValue(text) || isIbanForm(text))
  return reading ?? unreadable(run, isName)
}

/** A first group of words, and the reading of the words after it; null: no words are left. */
type Reading = { readonly text: string; readonly rest: Reading } | null

/** Up to two ways to divide all words into groups that are values. */
function readingsOf(
  words: readonly string[],
  isGroup: (text: string, length: number) => boolean,
): readonly (readonly string[])[] {
  const from: Reading[][] = Array.from({ length: words.length }, () => [])
  from.push([null])
  for (let start = words.length - 1; start >= 0; start -= 1) {
    for (let end = start + 1; end <= Math.min(words.length, start + longestGroup); end += 1) {
      const rests = from[end] ?? []
      const text = words.slice(start, end).join(' ')
      if (rests.length > 0 && isGroup(text, end - start)) from[start]?.push(...rests.map((rest) => ({ text, rest })))
    }
    from[start]?.splice(2)
  }
  return (from[0] ?? []).map((reading) => {
    const texts: string[] = []
    for (let left = reading; left; left = left.rest) texts.push(left.text)
    return texts
  })
}

/** Maximum number of words in one IBAN: the word IBAN, and 22 characters that are typed one by one. */
const longestGroup = 23

/** Values of words that can't all be read: the complete values, and the words between them. */
function unreadable(run: readonly string[], isName: IsName): readonly string[] {
  const digits = run.join('').replace(/\D/g, '').length
  // Eight digits within an IBAN look like a phone.
  const isOne = /^(IBAN|CR)/i.test(run[0] ?? '') || digits === 17 || digits === 20
  const areWhole = run.every((word) => word.replace(/\D/g, '').length >= 7)
  const at = run.findIndex((word) => isValue(word) || isName(word))
  if (run.length === 1 || isOne || (at === -1 && !areWhole)) return [run.join(' ')]
  if (areWhole) return run
  return [run.slice(0, at), run.slice(at, at + 1), run.slice(at + 1)]
    .filter((part) => part.length > 0)
    .flatMap((part) => valuesOf(part, isName))
}

const twoReadings = (words: readonly string[], readings: readonly (readonly string[])[]): UsageError =>
  new UsageError(
    say`${`'${words.join(' ')}'`} can be read in two ways: ${readings.map(listed).reduce((one, other) => say`${one}, or ${other}`)}.`,
    'Quote the words that belong together, or put a comma between two values',
  )

const listed = (values: readonly string[]): Text => values.map(shown).reduce((before, one) => say`${before}, ${one}`)

const shown = (text: string): Text => {
  if (isPhone(phoneIn(text))) return say`the phone ${formatAddress(phoneIn(text).slice(-8))}`
  return isValue(text) ? say`the IBAN ${formatAddress(normalizeIban(text))}` : say`the payee ${text}`
}
