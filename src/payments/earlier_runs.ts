import type { Intent } from '../journal/intent.ts'
import type { AlikeRow, StagedRows } from '../journal/staged_rows.ts'

/**
 * Count of rows to send that equal one of the intents except for the spelling of the description, or for its absence. A row
 * with equal spelling is that intent.
 */
export function countRespelt(staged: StagedRows, intents: Iterable<Intent>): number {
  const groups = new Map<string, AlikeRows>()
  const lines = new Set<number>()
  for (const { body } of intents) {
    const { description, source_account_id, amount, recipient_iban, recipient_phone } = body
    if (!description) continue
    const key = JSON.stringify([source_account_id, amount, recipient_iban ?? recipient_phone])
    const rows = groups.get(key) ?? new AlikeRows(staged.alike(body))
    groups.set(key, rows)
    for (const line of rows.respelt(description)) lines.add(line)
  }
  return lines.size
}

/**
 * Rows alike but for their descriptions, found by description: one list may pay the same amount to the same payee
 * thousands of times.
 */
class AlikeRows {
  readonly #descriptions: ReadonlySet<string | null>
  /** Open lines by each form of their description. */
  readonly #lines = new Map<string, number[]>()
  readonly #undescribed: readonly number[]
  #hasTakenUndescribed = false

  constructor(rows: readonly AlikeRow[]) {
    this.#descriptions = new Set(rows.map(({ description }) => description))
    const open = rows.filter(({ isOpen }) => isOpen)
    this.#undescribed = open.filter(({ description }) => description === null).map(({ line }) => line)
    for (const { line, description } of open) {
      for (const form of formsOf(description ?? '')) {
        const lines = this.#lines.get(form)
        if (lines) lines.push(line)
        else this.#lines.set(form, [line])
      }
    }
  }

  /** Yields the open lines with another spelling of the description; lines without one are yielded once. */
  *respelt(description: string): Generator<number, void> {
    if (this.#descriptions.has(description)) return
    if (!this.#hasTakenUndescribed) yield* this.#undescribed
    this.#hasTakenUndescribed = true
    for (const form of formsOf(description)) {
      yield* this.#lines.get(form) ?? []
      // The lines are counted: another intent of this form adds none.
      this.#lines.delete(form)
    }
  }
}

/**
 * Forms of a text that are equal in texts that differ only in what exports change: case, accents and their form,
 * spaces, or characters that an encoding lacks.
 */
function formsOf(text: string): readonly string[] {
  const spaced = (text: string) => text.toLowerCase().replace(/\s+/gu, ' ').trim()
  const plain = spaced(text.normalize('NFKD').replace(/\p{M}/gu, ''))
  const ascii = spaced(text.normalize('NFC').replace(/[^ -~]|\?/gu, ''))
  return ascii.length > 5 ? [`plain ${plain}`, `ascii ${ascii}`] : [`plain ${plain}`]
}
