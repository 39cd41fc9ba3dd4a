import { createHmac } from 'node:crypto'
import { buildIban } from '../contract/iban.ts'
import { type Currency, DocumentNumber } from '../contract/schemas/scalars.ts'
import { isKept, type Originals } from './originals.ts'

/** Numbers that are derived from a value and a secret key. Without the key they do not reveal the value. */
class Draw {
  readonly #label: string
  readonly #key: string
  #block = Buffer.alloc(0)
  #blocks = 0
  #at = 0

  constructor(key: string, label: string) {
    this.#key = key
    this.#label = label
  }

  /** A number from 0 to `count` - 1. */
  below(count: number): number {
    if (this.#at + 4 > this.#block.length) {
      this.#block = createHmac('sha256', this.#key).update(`${this.#blocks}\0${this.#label}`).digest()
      this.#blocks += 1
      this.#at = 0
    }
    const number = this.#block.readUInt32BE(this.#at)
    this.#at += 4
    return number % count
  }

  digits(length: number): string {
    return Array.from({ length }, () => this.below(10)).join('')
  }
}

/** Fraction by which amounts are multiplied: 1/10 for `--scale 0.1`. */
export interface Scale {
  readonly times: bigint
  readonly over: bigint
}

const documentForm = new RegExp((DocumentNumber as { pattern?: string }).pattern ?? '')

const isDocument = (number: string): boolean => documentForm.test(number)

/** Maximum number of attempts to find a replacement that is neither an original nor in use. */
const mostAttempts = 1000

/** Entity code of the emulator's own accounts; no bank has this code. */
const ownEntity = '999'

/** Entity code that replaces `ownEntity`, if the original IBAN comes from an emulator. */
const usualEntity = '151'

/**
 * Replaces values of a service. Equal values have equal replacements, and different values have different replacements.
 * Most replacements have the length and form of the original. The same key gives the same replacements.
 */
export class Masks {
  readonly #key: string
  readonly #originals: Originals
  readonly #scale: Scale

  constructor({ key, originals, scale }: { key: string; originals: Originals; scale: Scale }) {
    this.#key = key
    this.#originals = originals
    this.#scale = scale
  }

  /** A scaled amount in minor units: rounded, and at least 1 unless the original amount is 0. */
  amount(value: number): number {
    const { times, over } = this.#scale
    const rounded = Number((BigInt(value) * times * 2n + over) / (over * 2n))
    return value > 0 ? Math.max(rounded, 1) : rounded
  }

  /** A name made of meaningless words. Particles and legal forms stay unchanged. */
  readonly name = this.#each('name', (draw, name) => {
    const isNamed = name.split(/\s+/).some((word) => word !== '' && !isKept(word))
    return name.replace(/\S+/g, (word) => (isNamed && isKept(word) ? word : this.#words(draw, word)))
  })

  /** Any other text. */
  readonly text = this.#each('text', (draw, text) => this.#words(draw, text))

  /**
   * An identity document of the same type: the first digits, which show the type, stay unchanged. Any other text
   * becomes the document of a national.
   */
  readonly document = this.#each('document', (draw, number) => {
    if (!isDocument(number)) return `0${1 + draw.below(9)}${draw.digits(8)}`
    const [kept = ''] = /^(3\d{3}(?=\d{6}$)|0\d(?=\d{8}$)|\d)?/.exec(number) ?? []
    const province = /^0[1-9]\d{8}$/.test(number) ? `0${1 + draw.below(9)}` : kept
    return province + this.#runs(draw, number.slice(kept.length))
  })

  /** An eight-digit phone number of the same kind. */
  readonly phone = this.#each('phone', (draw, phone) => phone.slice(0, 1) + draw.digits(7))

  /** An IBAN at the same bank, with valid check digits. */
  readonly iban = this.#each('iban', (draw, iban) => {
    const entity = iban.slice(5, 8)
    return buildIban(entity === ownEntity ? usualEntity : entity, draw.digits(14))
  })

  /** The IBAN of an account of the world, with an entity code that no bank has. */
  readonly ownIban = {
    CRC: this.#each('CRC', (draw) => buildIban(ownEntity, `1${draw.digits(13)}`)),
    USD: this.#each('USD', (draw) => buildIban(ownEntity, `2${draw.digits(13)}`)),
  } satisfies Record<Currency, Mask>

  /** A URL to which nothing can be delivered. */
  readonly url = this.#each('url', (draw) => `https://webhook-${draw.digits(6)}.invalid/`)

  #each(kind: string, replace: (draw: Draw, original: string) => string): Mask {
    const made = new Map<string, string>()
    const taken = new Set<string>()
    return (original) => {
      const known = made.get(original)
      if (known !== undefined) return known
      let replacement = ''
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        replacement = replace(new Draw(this.#key, `${kind}\0${attempt}\0${original}`), original)
        if (!taken.has(replacement) && !this.#originals.has(replacement)) break
      }
      made.set(original, replacement)
      taken.add(replacement)
      return replacement
    }
  }

  /** Replaces letters and digits. Text without letters and digits becomes letters. */
  #words(draw: Draw, text: string): string {
    return this.#runs(draw, /[\p{L}\p{N}]/u.test(text) ? text : text.replace(/[^\s]/gu, 'x'))
  }

  /** Replaces each run of letters and of digits, and each character beyond ASCII, code point by code point. */
  #runs(draw: Draw, text: string): string {
    return text.replace(/[\p{L}\p{M}]+|\p{N}+|[^\x20-\x7e]/gu, (run) => {
      let made = ''
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        made = /^\p{N}/u.test(run) ? draw.digits([...run].length) : wordLike(run, draw)
        if (!this.#originals.hasPart(made)) break
      }
      return made
    })
  }
}

type Mask = (original: string) => string

const consonants = 'bcdfglmnprstvz'
const vowels = 'aeiou'

/** A pronounceable word with the length and the capitals of `word`. */
function wordLike(word: string, draw: Draw): string {
  const begin = draw.below(2)
  return [...word]
    .map((character, at) => {
      const letters = (at + begin) % 2 === 0 ? consonants : vowels
      const letter = letters[draw.below(letters.length)] ?? ''
      return /\p{Lu}/u.test(character) ? letter.toUpperCase() : letter
    })
    .join('')
}
