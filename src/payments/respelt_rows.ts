import type { Intent } from '../journal/intent.ts'
import type { StagedRows } from '../journal/staged_rows.ts'

/**
 * Count of rows to send that equal one of the intents except for the spelling of the description, or for its absence. A row
 * with equal spelling is that intent.
 */
export function countRespelt(staged: StagedRows, intents: Iterable<Intent>): number {
  const lines = new Set<number>()
  for (const { body } of intents) {
    const { description } = body
    const alike = staged.alike(body)
    if (!description || alike.some((row) => row.description === description)) continue
    for (const row of alike) {
      if (row.isOpen && (row.description === null || isRespelt(row.description, description))) lines.add(row.line)
    }
  }
  return lines.size
}

/**
 * True if two texts differ only in what exports change: case, accents and their form, spaces, or characters that an
 * encoding lacks.
 */
function isRespelt(one: string, other: string): boolean {
  const spaced = (text: string) => text.toLowerCase().replace(/\s+/gu, ' ').trim()
  const plain = (text: string) => spaced(text.normalize('NFKD').replace(/\p{M}/gu, ''))
  const ascii = (text: string) => spaced(text.normalize('NFC').replace(/[^ -~]|\?/gu, ''))
  return plain(one) === plain(other) || (ascii(one) === ascii(other) && ascii(one).length > 5)
}
