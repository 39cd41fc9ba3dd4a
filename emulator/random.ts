import { type Cipheriv, createCipheriv, hash, randomBytes } from 'node:crypto'

/** Draws so many random bytes, and the next time those that follow. */
export type RandomBytes = (count: number) => Buffer

/** Where a world's random values come from. Each purpose has a series of its own, so that none shifts another. */
export interface Random {
  readonly ids: RandomBytes
  /** Codes, tokens, secrets of clients and subscriptions. */
  readonly secrets: RandomBytes
  readonly faults: RandomBytes
  /** For the times that payments take. */
  readonly settle: RandomBytes
  /** For the world's own id. */
  readonly worldId: RandomBytes
}

/** The machine's randomness. Nobody can guess it. */
export const machineRandom: Random = {
  ids: randomBytes,
  secrets: randomBytes,
  faults: randomBytes,
  settle: randomBytes,
  worldId: randomBytes,
}

interface Drawing {
  /** Of the emulator. */
  readonly rngSeed: string
  /** Of the world's rows, from `lineageOf`. */
  readonly lineage: string
  /** Name of the world: two worlds may draw the same series, and have their own ids. */
  readonly name: string
  /** Id of the world before: after a reset, or under a name taken again, the draws are the same, and the world is not. */
  readonly after: string
}

/** Series that are the same in every run and on every machine. Whoever knows the seed knows them. */
export const seededRandom = ({ rngSeed, lineage, name, after }: Drawing): Random => ({
  ids: seededBytes(rngSeed, lineage, 'ids'),
  secrets: seededBytes(rngSeed, lineage, 'secrets'),
  faults: seededBytes(rngSeed, lineage, 'faults'),
  settle: seededBytes(rngSeed, lineage, 'settle'),
  worldId: seededBytes(rngSeed, lineage, 'world', name, after),
})

/** AES-256 in counter mode over zeros, keyed by the SHA-256 of the words. */
function seededBytes(...words: readonly string[]): RandomBytes {
  let cipher: Cipheriv | undefined
  return (count) => {
    cipher ??= createCipheriv('aes-256-ctr', digestOf(words), Buffer.alloc(16))
    return cipher.update(Buffer.alloc(count))
  }
}

/**
 * What the rows of a world come from: the streams of the worlds they were made in, the last one included. Nothing that one
 * world draws can meet what another drew before in the same rows.
 */
export const lineageOf = (parent: string, stream: string): string => digestOf([parent, stream]).toString('hex')

const maxSeries = 999_999_999

/** The series of a world's delivery ids, from its stream alone: from 1 to nine digits. */
export const seriesOf = (stream: string): number => (digestOf([stream]).readUInt32BE() % maxSeries) + 1

const digestOf = (words: readonly string[]): Buffer => hash('sha256', JSON.stringify(words), 'buffer')

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** So many random letters and digits, each as likely as any other. */
export function randomText(length: number, bytes: RandomBytes): string {
  const fair = 256 - (256 % lettersAndDigits.length)
  let text = ''
  while (text.length < length) {
    const [byte = 255] = bytes(1)
    if (byte < fair) text += lettersAndDigits[byte % lettersAndDigits.length]
  }
  return text
}
