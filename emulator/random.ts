import { type Cipheriv, createCipheriv, hash, randomBytes } from 'node:crypto'
import { v7 } from 'uuid'
import type { Clock } from './clock.ts'

/** Returns the next `count` random bytes of a series. */
export type RandomBytes = (count: number) => Buffer

/**
 * Sources of a world's random values. Each purpose has a separate series, so that draws for one purpose don't shift the
 * draws for another.
 */
export interface Random {
  readonly ids: RandomBytes
  /** Series for codes, tokens, and the secrets of clients and subscriptions. */
  readonly secrets: RandomBytes
  readonly faults: RandomBytes
  /** Durations of payments. */
  readonly settle: RandomBytes
  /** Series for the world's id. */
  readonly worldId: RandomBytes
}

/** The machine's randomness: unpredictable. */
export const machineRandom: Random = {
  ids: randomBytes,
  secrets: randomBytes,
  faults: randomBytes,
  settle: randomBytes,
  worldId: randomBytes,
}

interface SeriesSource {
  /** The emulator's seed. */
  readonly rngSeed: string
  /** Lineage of the world's rows, from `lineageOf`. */
  readonly lineage: string
  /** Name of the world: two worlds may draw the same series but need different ids. */
  readonly name: string
  /** Id of the previous world: a world after a reset, or with a reused name, repeats the draws but needs a new id. */
  readonly after: string
}

/** Random bytes that are equal in every run and on every machine. Anybody who knows the seed can compute the bytes. */
export const seededRandom = ({ rngSeed, lineage, name, after }: SeriesSource): Random => ({
  ids: seededBytes(rngSeed, lineage, 'ids'),
  secrets: seededBytes(rngSeed, lineage, 'secrets'),
  faults: seededBytes(rngSeed, lineage, 'faults'),
  settle: seededBytes(rngSeed, lineage, 'settle'),
  worldId: seededBytes(rngSeed, lineage, 'world', name, after),
})

/** Generates bytes by AES-256 in counter mode over zeros, keyed by the SHA-256 of the words. */
function seededBytes(...words: readonly string[]): RandomBytes {
  let cipher: Cipheriv | undefined
  return (count) => {
    cipher ??= createCipheriv('aes-256-ctr', digestOf(words), Buffer.alloc(16))
    return cipher.update(Buffer.alloc(count))
  }
}

/**
 * Lineage of a world's rows: a digest of the streams of all worlds that the rows have passed through, including this
 * world. The lineage keeps a world from repeating draws that an earlier world has already put into the rows.
 */
export const lineageOf = (parent: string, stream: string): string => digestOf([parent, stream]).toString('hex')

/** Highest series: an id of a delivery has at most nine digits before the number of the delivery. */
export const maxSeries = 999_999_999

/** Series of a world's delivery ids, from its stream alone: a number of one to nine digits. */
export const seriesOf = (stream: string): number => (digestOf([stream]).readUInt32BE() % maxSeries) + 1

const digestOf = (words: readonly string[]): Buffer => hash('sha256', JSON.stringify(words), 'buffer')

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Generates a string of random letters and digits, all equally likely. */
export function randomText(length: number, bytes: RandomBytes): string {
  const fair = 256 - (256 % lettersAndDigits.length)
  let text = ''
  while (text.length < length) {
    const [byte = 255] = bytes(1)
    if (byte < fair) text += lettersAndDigits[byte % lettersAndDigits.length]
  }
  return text
}

export type Ids = () => string

const bytesPerId = 16
/** Number of ids for which random bytes are drawn together: a draw for each id would cost more than the id itself. */
const idsPerDraw = 256

/** Makes UUIDv7s with the world's time. Later ids are greater, even within one millisecond. */
export function idsOn(clock: Clock, draw: RandomBytes = machineRandom.ids): Ids {
  let bytes: Uint8Array = Buffer.alloc(0)
  let used = 0
  let last = 0
  let seq = 0
  return () => {
    const now = clock.now()
    if (now > last) {
      last = now
      seq = 0
    }
    if (used === bytes.length) {
      bytes = draw(bytesPerId * idsPerDraw)
      used = 0
    }
    const random = bytes.subarray(used, used + bytesPerId)
    used += bytesPerId
    return v7({ msecs: last, seq: seq++, random })
  }
}
