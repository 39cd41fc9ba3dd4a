/** Words that identify nobody in a name: particles and legal forms. Masks do not change them. */
const keptWords = new Set([
  'de',
  'del',
  'la',
  'las',
  'los',
  'y',
  'e',
  's.a.',
  's.a',
  'sa',
  's.r.l.',
  's.r.l',
  'srl',
  'ltda.',
  'ltda',
])

export const isKept = (word: string): boolean => keptWords.has(word.toLowerCase())

/**
 * Minimum length of a word and of a number to look for in a masked file: shorter words and numbers occur in any text by
 * chance.
 */
const shortest = { letters: 3, digits: 6 }

/** Splits a text into runs of letters and runs of digits. */
export const runsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []

/** The text in lower case and without accents: `María` and `MARIA` are the same word. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const counts = (run: string): boolean => run.length >= (/^\p{N}/u.test(run) ? shortest.digits : shortest.letters)

/** The values of a service that must not be in a masked file. */
export class Originals {
  readonly #values = new Set<string>()
  readonly #parts = new Set<string>()

  /** Adds a value and, if people wrote it, its words and numbers. */
  add(value: string | null | undefined, { isText = false } = {}): void {
    if (!value) return
    this.#values.add(folded(value))
    if (!isText) return
    for (const word of value.split(/\s+/)) {
      if (!isKept(word)) for (const run of runsOf(word)) if (counts(run)) this.#parts.add(folded(run))
    }
  }

  has(value: string): boolean {
    return this.#values.has(folded(value))
  }

  /** True for a word or number that an original name or other text contains. */
  hasPart(run: string): boolean {
    return counts(run) && this.#parts.has(folded(run))
  }

  /** Original values, or parts of them, that a masked value still contains. */
  leftIn(value: string): readonly string[] {
    if (this.has(value)) return [value]
    const words = value.split(/\s+/).filter((word) => !isKept(word))
    return words
      .flatMap((word) => [word, ...runsOf(word)])
      .filter((part) => this.hasPart(part) || (part.length >= shortest.digits && this.has(part)))
  }
}
