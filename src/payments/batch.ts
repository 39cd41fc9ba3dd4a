import { type Intent, type IntentStatus, mayHavePaid, ownershipOf } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import type { PlacedRow, Sheet } from '../journal/staged_rows.ts'
import { batchNameOf, rowKey } from './batch/identity.ts'
import type { Sender } from './sender.ts'

const chunk = 500

/** Rows that an earlier run may have sent, and how many of them as part of another batch. */
export interface Doubts {
  readonly rows: number
  readonly elsewhere: number
  /** Rows in doubt of the same batches that are not in this file: perhaps what its rows were before they were corrected. */
  readonly missing: number
  /** What its rows may have sent, or another user. */
  readonly unclear: readonly Intent[]
}

const inDoubt: readonly IntentStatus[] = ['sent', 'unknown']

/** The rows of one file under one name, of one sender, and what the journal has of them. */
export class Batch {
  readonly name: string
  /** What the caller named it, if anything: rows are paid once in it. */
  readonly scope: string | undefined
  readonly sheet: Sheet
  readonly sender: Sender

  constructor(sheet: Sheet, sender: Sender, scope: string | undefined) {
    this.name = scope ?? batchNameOf(sheet.fingerprint())
    this.scope = scope
    this.sheet = sheet
    this.sender = sender
  }

  keyOf(row: PlacedRow): string {
    return rowKey(this.scope, row)
  }

  intentOf(row: PlacedRow, journal: Journal): Intent | undefined {
    return journal.withKey(this.sender, this.keyOf(row))
  }

  /** Whether these very rows have been agreed to before. */
  isKnownTo(journal: Journal): boolean {
    return journal.hasBatch(this.sender, this.name)
  }

  /** Marks the rows that an earlier run has sent, and counts those that it may have. */
  recall(journal: Journal): Doubts {
    return journal.atOneMoment(() => {
      const doubts = { rows: 0, elsewhere: 0 }
      const batches = new Set([this.name])
      const unclear: Intent[] = []
      let shared = 0
      for (const row of this.sheet.rows()) {
        const known = journal.sameKey(this.sender.base_url, this.keyOf(row)).filter(({ status }) => mayHavePaid(status))
        const intent = known.find((one) => ownershipOf(one, this.sender) === 'own')
        if (!intent) {
          unclear.push(...known.filter((one) => ownershipOf(one, this.sender) === 'unclear'))
          continue
        }
        const elsewhere = intent.batch !== this.name
        if (intent.batch !== null) batches.add(intent.batch)
        if (intent.status === 'settled') this.sheet.markKnown(row.line, { at: intent.updated_at, elsewhere })
        else {
          doubts.rows += 1
          if (elsewhere) doubts.elsewhere += 1
          if (intent.batch !== null) shared += 1
        }
      }
      const all = [...batches].map((batch) => journal.count({ statuses: inDoubt, batch, of: this.sender }))
      return { ...doubts, unclear, missing: all.reduce((sum, count) => sum + count, 0) - shared }
    })
  }

  /** Writes an intent down for every row that has none yet. One that is no longer in the file is not resumed with it. */
  prepare(journal: Journal): void {
    const { profile, base_url, user, world } = this.sender
    journal.release(this.sender, this.name)
    const common = { profile, base_url, user, world, batch: this.name }
    let drafts = []
    for (const row of this.sheet.rows()) {
      const { body, line, reference } = row
      drafts.push({ ...common, idempotency_key: this.keyOf(row), body, line, reference })
      if (drafts.length < chunk) continue
      journal.prepareAll(drafts)
      drafts = []
    }
    journal.prepareAll(drafts)
  }
}
