import type { NextStep } from '../errors/next_step.ts'
import {
  hasFailed,
  type Intent,
  inDoubtStatuses,
  isInDoubt,
  mayHavePaid,
  ownershipOf,
  type Principal,
} from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import type { AlikeRow, StagedRows } from '../journal/staged_rows.ts'
import { type Said, say } from '../words/text.ts'
import { type BatchSummary, sentBefore } from './batch_summary.ts'
import { type Asking, settleOrAsk } from './confirmation.ts'
import { rowsSaid } from './counted.ts'
import { claimFound, type Prospect } from './doubts.ts'
import { retryKey } from './made_payments.ts'
import { generatedPrefix } from './order.ts'
import type { PaymentSession } from './payment_session.ts'

// Compares the rows of a file with the payments of earlier runs.

/** Facts from the journal about the rows of a file. Rows that were sent before are marked in the staged rows. */
export interface EarlierRuns {
  /** True if the sender has run a batch of this name before; a generated name stands for exactly these rows. */
  readonly isKnown: boolean
  /** Number of rows that an earlier run may have sent, and how many of these rows were in another batch. */
  readonly inDoubt: number
  readonly inDoubtElsewhere: number
  /** Number of rows in doubt by their prospect. */
  readonly prospects: ReadonlyMap<Prospect, number>
  /**
   * Count of rows in doubt that belong to the same batches but are not in this file: rows of this file may be corrected
   * versions of these rows.
   */
  readonly missing: number
  /** Intents of the file's rows that the sender or another user may have sent. */
  readonly unclear: readonly Intent[]
  /** Names of the batches in which rows were sent. */
  readonly batches: readonly string[]
  /** Count of rows that differ from earlier payments only because the description is spelt differently or missing. */
  readonly respelt: number
}

/** Name of a batch of rows: the caller's name, or a name that is equal for equal rows in any order. */
export const batchNameOf = (staged: StagedRows): string =>
  staged.scope ?? `${generatedPrefix}${staged.fingerprint().slice(0, 12)}`

/** Finds earlier payments of the rows, after reading the history for rows in doubt and for rows of unknown users. */
export async function recallRuns(staged: StagedRows, asking: Asking, session: PaymentSession): Promise<EarlierRuns> {
  let found = recall(staged, session)
  const unclear = await claimFound(found.unclear, session)
  if (found.unclear.length > 0) found = recall(staged, session)
  if (found.inDoubt > 0) {
    await settleOrAsk(rowsInDoubt(staged, session), asking, session)
    found = recall(staged, session)
  }
  const prospects = new Map<Prospect, number>()
  for (const intent of found.inDoubt > 0 ? rowsInDoubt(staged, session) : []) {
    const prospect = session.looked.prospectOf(intent)
    prospects.set(prospect, (prospects.get(prospect) ?? 0) + 1)
  }
  return { ...found, unclear, prospects }
}

/** Marks the rows that an earlier run has sent or may have sent, and counts the rows in doubt. */
function recall(staged: StagedRows, { journal, sender }: PaymentSession): Omit<EarlierRuns, 'prospects'> {
  const name = batchNameOf(staged)
  staged.forgetDoubts() // another process may have resolved them
  return journal.atOneMoment(() => {
    const batches = new Set([name])
    const sentIn = new Set<string>()
    const unclear: Intent[] = []
    let [inDoubt, inDoubtElsewhere, shared] = [0, 0, 0]
    for (const { line, idempotency_key: key } of staged.rows()) {
      const known = journal.sameKey(sender.base_url, key).filter(({ status }) => mayHavePaid(status))
      const own = known.find((one) => ownershipOf(one, sender) === 'own')
      if (!own) {
        unclear.push(...known.filter((one) => ownershipOf(one, sender) === 'unclear'))
        continue
      }
      const { status, batch, updated_at: at } = lastOf(own, sender, journal)
      const elsewhere = batch !== name
      if (batch !== null) batches.add(batch)
      if (status === 'settled') {
        staged.markKnown(line, { at, elsewhere })
        if (batch !== null) sentIn.add(batch)
      } else {
        staged.markInDoubt(line)
        inDoubt += 1
        if (elsewhere) inDoubtElsewhere += 1
        if (batch !== null) shared += 1
      }
    }
    const all = [...batches].map((batch) => journal.count({ statuses: inDoubtStatuses, batch, of: sender }))
    return {
      isKnown: journal.hasBatch(sender, name),
      inDoubt,
      inDoubtElsewhere,
      missing: all.reduce((sum, count) => sum + count, 0) - shared,
      unclear,
      batches: [...sentIn],
      respelt: respeltRows(staged, sender, journal),
    }
  })
}

function* rowsInDoubt(staged: StagedRows, { journal, sender }: PaymentSession): Generator<Intent, void> {
  for (const { idempotency_key: key } of staged.rows()) {
    const intent = journal.withKey(sender, key)
    const last = intent && lastOf(intent, sender, journal)
    if (last && isInDoubt(last)) yield last
  }
}

/** Latest payment of a row: its own payment or, if its own payment failed and was repeated, the last repetition. */
export function lastOf(intent: Intent, of: Principal, journal: Journal): Intent {
  const next = hasFailed(intent) ? journal.withKey(of, retryKey(intent.idempotency_key)) : undefined
  return next && mayHavePaid(next.status) ? lastOf(next, of, journal) : intent
}

/** A question that only the caller can answer, and the next step if nobody answers. */
interface Unclarity {
  readonly question: Said
  readonly next: NextStep
}

/**
 * Returns the question in one of three cases that only the caller can decide. A row in doubt that has been changed
 * since the earlier run could be paid in both versions. Rows that were sent with another spelling may be the same list
 * from another program. If only some rows were sent from another file, this may be that file with corrections, or next
 * month's file. `isDecided`: the caller has decided.
 */
export function unclarity(
  earlier: EarlierRuns,
  { known, rows, to_send, sent_before }: BatchSummary,
  isDecided: boolean,
): Unclarity | undefined {
  if (to_send === 0) return undefined
  const { missing, respelt, isKnown, inDoubtElsewhere } = earlier
  if (missing > 0) {
    return {
      question:
        missing === 1
          ? say`1 row sent with the rows of this file is in doubt and no longer in the file. If it was corrected there, both versions could be paid.`
          : say`${missing} rows sent with the rows of this file are in doubt and no longer in the file. If they were corrected there, both versions of each could be paid.`,
      next: { kind: 'resume_all' },
    }
  }
  if (respelt > 0) {
    return {
      question:
        respelt === 1
          ? say`1 row asks for a payment that was sent before with another spelling of the description, or with a description that the row lacks. If this is the same list, saved by another program, it would be paid twice.`
          : say`${respelt} rows ask for payments that were sent before with another spelling of the description, or with a description that the row lacks. If this is the same list, saved by another program, it would be paid twice.`,
      next: { kind: 'confirm_respelt_rows' },
    }
  }
  const elsewhere = known.elsewhere + inDoubtElsewhere
  if (isDecided || elsewhere === 0 || isKnown) return undefined
  const repeated =
    elsewhere === 1
      ? say`1 of ${rowsSaid(rows)} repeats what another file has sent`
      : say`${elsewhere} of ${rowsSaid(rows)} repeat what another file has sent`
  return {
    question: known.rows > 0 ? say`${repeated}: ${sentBefore({ sent_before, known })}.` : say`${repeated}.`,
    next: { kind: 'confirm_corrected_file' },
  }
}

/**
 * Counts the rows to send that equal an earlier payment, except that the description is spelt differently or missing:
 * the list may have been saved by another program. An earlier payment is ignored if a row of the file spells the
 * description in the same way.
 */
function respeltRows(staged: StagedRows, sender: Principal, journal: Journal): number {
  if (staged.known().rows === staged.count()) return 0
  const { scope } = staged
  const groups = new Map<string, AlikeRows>()
  const lines = new Set<number>()
  for (const { body, batch } of journal.sent(sender)) {
    const isOfScope = scope === undefined ? batch?.startsWith(generatedPrefix) : batch === scope
    const { description, source_account_id, amount, recipient_iban, recipient_phone } = body
    if (!isOfScope || !description) continue
    const key = JSON.stringify([source_account_id, amount, recipient_iban ?? recipient_phone])
    const rows = groups.get(key) ?? new AlikeRows(staged.alike(body))
    groups.set(key, rows)
    for (const line of rows.respelt(description)) lines.add(line)
  }
  return lines.size
}

/**
 * Rows that differ only in their descriptions. The rows are indexed by description, because one list may pay the same
 * amount to the same payee thousands of times.
 */
class AlikeRows {
  readonly #descriptions: ReadonlySet<string | null>
  /** Lines of the open rows, keyed by each form of the row's description. */
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

  /** Yields the open lines with another spelling of the description; lines without a description are yielded once. */
  *respelt(description: string): Generator<number, void> {
    if (this.#descriptions.has(description)) return
    if (!this.#hasTakenUndescribed) yield* this.#undescribed
    this.#hasTakenUndescribed = true
    for (const form of formsOf(description)) {
      yield* this.#lines.get(form) ?? []
      // These lines are now counted: another intent with this form of the description adds no line.
      this.#lines.delete(form)
    }
  }
}

/**
 * Normal forms of a description. Two descriptions have a form in common if they differ only by changes that an export
 * makes: case, accents and their encoding, spaces, characters that an encoding lacks, or the `="0123"` of digits that
 * stay text, which earlier versions read as part of the description.
 */
function formsOf(description: string): readonly string[] {
  const text = description.replace(/^="(\d+)"$/, '$1')
  const spaced = (text: string) => text.toLowerCase().replace(/\s+/gu, ' ').trim()
  const plain = spaced(text.normalize('NFKD').replace(/\p{M}/gu, ''))
  const ascii = spaced(text.normalize('NFC').replace(/[^ -~]|\?/gu, ''))
  return ascii.length > 5 ? [`plain ${plain}`, `ascii ${ascii}`] : [`plain ${plain}`]
}
