import { createHash } from 'node:crypto'
import { UsageError } from '../errors/cli_error.ts'
import {
  fingerprint,
  type Intent,
  inDoubtStatuses,
  intentStatuses,
  isInDoubt,
  mayHavePaid,
  type NewIntent,
  ownershipOf,
} from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import type { PlacedRow, StagedRows } from '../journal/staged_rows.ts'
import { noneCounted } from '../limits/used.ts'
import { agreeToBatch, type Doubts, noDoubts, showSummary, unclarity } from './batch_agreement.ts'
import { type CheckedRows, feesIn } from './batch_checks.ts'
import { type BatchReport, type RunOptions, recordInSlices, runBatch } from './batch_plan.ts'
import type { Summary } from './batch_summary.ts'
import { remarkOnTyping, settleOrAsk, sumsByCurrency } from './confirmation.ts'
import { claimFound } from './doubts.ts'
import { countRespelt } from './earlier_runs.ts'
import { requireWithinLimits } from './limited_rows.ts'
import { generatedPrefix } from './order.ts'
import { guardOf, type PaymentOptions, PaymentSession, withSession } from './payment_session.ts'
import { lastOf } from './repeated_payment.ts'
import { learnSender, type Sender } from './sender.ts'

interface BatchOptions extends RunOptions, BatchSettings {
  /** Milliseconds to wait for payments to end; undefined: don't wait. */
  readonly wait?: number | undefined
  /** Ask the reporter before anything is sent; otherwise refuse unclear cases. */
  readonly confirm?: boolean
  /** True if a person answers the reporter's questions. Otherwise payments with old keys are not sent again. */
  readonly asksPerson?: boolean | undefined
}

type Asking = Pick<BatchOptions, 'asksPerson'>

interface BatchSettings {
  /** Source of the rows, for people: the name of a file. */
  readonly title?: string | undefined
  /** Rows are paid once under this id. */
  readonly batchId?: string | undefined
  /** Leave out rows that another batch has sent, without asking. */
  readonly skipSent?: boolean | undefined
}

/**
 * Pays rows that have not been sent. Their intents are on disk before the first request is sent. Throws errors that
 * prevent the start of the batch; after that the report has the result.
 */
export const payBatch = (
  { staged, accounts, checkHolders }: CheckedRows,
  options: BatchOptions,
): Promise<BatchReport> =>
  withSession(options, async (session) => {
    const { journal } = session
    const batch = new Batch(staged, session.sender, options.batchId)
    const doubts = await batch.recallClearly(session, options)
    await checkHolders()
    await requireRowsAllowed(batch, session)
    const { skipSent, title } = options
    const plan = { batch, accounts, doubts, skipSent, title, isKnown: batch.isKnownTo(journal) }
    const estimates = await agreeToBatch(plan, session, options.confirm)
    const run = {
      batch: batch.name,
      prepare: () => batch.prepare(session, (source) => accounts?.get(source)?.balance.currency ?? null),
      intents: () => batch.intents(session),
      total: staged.count(),
      doubts: doubts.rows,
      accounts,
      feeOf: feesIn(estimates),
      wait: options.wait,
    }
    return runBatch(run, options, session)
  })

/** Throws if limits forbid rows. */
async function requireRowsAllowed(
  batch: Batch,
  { guard, client, journal }: Pick<PaymentSession, 'guard' | 'client'> & { readonly journal: Journal | undefined },
): Promise<void> {
  if (!guard) return
  const sources = batch.unsent(journal).map(({ body }) => body.source_account_id)
  await guard.learn(sources, client)
  requireWithinLimits(batch.unsent(journal), guard, journal?.counted ?? noneCounted)
}

type DryRunOptions = BatchSettings & Omit<PaymentOptions, 'journal'> & { readonly journal: Journal | undefined }

/**
 * Dry run: shows what would be sent, and throws if limits forbid it. Sends nothing. Without a journal nothing was sent
 * before.
 */
export async function dryRunBatch(
  { staged, accounts, checkHolders }: CheckedRows,
  options: DryRunOptions,
): Promise<Summary> {
  const { journal, skipSent, title } = options
  const sender = await learnSender(options)
  const batch = new Batch(staged, sender, options.batchId)
  const common = { batch, accounts, skipSent, title }
  const limited = { guard: guardOf(sender, options.limitsIn), client: options.client, journal }
  if (!journal) {
    await checkHolders()
    const { summary } = await showSummary({ ...common, doubts: noDoubts, isKnown: false }, options)
    await requireRowsAllowed(batch, limited)
    remarkOnTyping(sumsByCurrency(summary.debits), limited.guard, options.reporter)
    return summary
  }
  const doubts = await batch.recallClearly(new PaymentSession({ ...options, sender, journal }), { asksPerson: false })
  await checkHolders()
  const plan = { ...common, doubts, isKnown: batch.isKnownTo(journal) }
  const { summary } = await showSummary(plan, options)
  const unclear = unclarity(plan, summary)
  if (unclear) options.reporter?.remark(`Warning  ${unclear.question}`)
  await requireRowsAllowed(batch, limited)
  remarkOnTyping(sumsByCurrency(summary.debits), limited.guard, options.reporter)
  return summary
}

/** States in which a request with the key has paid or may have paid. */
const paidStatuses = intentStatuses.filter(mayHavePaid)

/** One sender's rows of one file under one name, and their records in the journal. */
export class Batch {
  /** Name for listing and resuming: the given batch id, or a digest that is equal for equal rows in any order. */
  readonly name: string
  /** The caller's batch id, if any: rows are paid once in it. */
  readonly scope: string | undefined
  readonly staged: StagedRows
  readonly sender: Sender

  constructor(staged: StagedRows, sender: Sender, scope: string | undefined) {
    this.name = scope ?? `${generatedPrefix}${staged.fingerprint().slice(0, 12)}`
    this.scope = scope
    this.staged = staged
    this.sender = sender
  }

  /**
   * Idempotency key of a row. Requests for equal payments in one scope have equal keys, whatever their file, place and
   * order. Equal rows of one file get distinct keys, by occurrence.
   */
  keyOf({ body, occurrence }: PlacedRow): string {
    const identity = JSON.stringify([1, this.scope ?? null, fingerprint(body), occurrence])
    return `batch-${createHash('sha256').update(identity).digest('hex')}`
  }

  /** True if the sender has run exactly these rows before. */
  isKnownTo(journal: Journal): boolean {
    return journal.hasBatch(this.sender, this.name)
  }

  /** Marks the rows that an earlier run has sent, and counts those that it may have sent. */
  recall(journal: Journal): Doubts {
    return journal.atOneMoment(() => {
      const doubts = { rows: 0, elsewhere: 0 }
      const batches = new Set([this.name])
      const sentIn = new Set<string>()
      const unclear: Intent[] = []
      let shared = 0
      for (const row of this.staged.rows()) {
        const known = journal.sameKey(this.sender.base_url, this.keyOf(row)).filter(({ status }) => mayHavePaid(status))
        const own = known.find((one) => ownershipOf(one, this.sender) === 'own')
        const intent = own && lastOf(own, this.sender, journal)
        if (!intent) {
          unclear.push(...known.filter((one) => ownershipOf(one, this.sender) === 'unclear'))
          continue
        }
        const elsewhere = intent.batch !== this.name
        if (intent.batch !== null) batches.add(intent.batch)
        if (intent.status === 'settled') {
          this.staged.markKnown(row.line, { at: intent.updated_at, elsewhere })
          if (intent.batch !== null) sentIn.add(intent.batch)
        } else {
          doubts.rows += 1
          this.staged.markInDoubt(row.line)
          if (elsewhere) doubts.elsewhere += 1
          if (intent.batch !== null) shared += 1
        }
      }
      const all = [...batches].map((batch) => journal.count({ statuses: inDoubtStatuses, batch, of: this.sender }))
      const missing = all.reduce((sum, count) => sum + count, 0) - shared
      return { ...doubts, unclear, missing, batches: [...sentIn], respelt: this.#respelt(journal) }
    })
  }

  /** Count of rows to send that may have been sent in an export of the same list by another program. */
  #respelt(journal: Journal): number {
    if (this.staged.known().rows === this.staged.count()) return 0
    const { scope } = this
    const isOfScope = ({ batch }: Intent) =>
      scope === undefined ? batch?.startsWith(generatedPrefix) : batch === scope
    const sent = journal.list({ of: this.sender, statuses: paidStatuses })
    return countRespelt(
      this.staged,
      sent.filter((intent) => isOfScope(intent) === true),
    )
  }

  /** Runs `recall` after reading the history for rows in doubt, and for rows whose user the journal does not know. */
  async recallClearly(session: PaymentSession, asking: Asking): Promise<Doubts> {
    const { journal } = session
    let doubts = this.recall(journal)
    const unclear = await claimFound(doubts.unclear, session)
    if (doubts.unclear.length > 0) doubts = this.recall(journal)
    if (doubts.rows > 0) {
      await settleOrAsk(this.#inDoubt(journal), asking, session)
      doubts = this.recall(journal)
    }
    return { ...doubts, unclear }
  }

  *#inDoubt(journal: Journal): Generator<Intent, void> {
    for (const row of this.staged.rows()) {
      const intent = journal.withKey(this.sender, this.keyOf(row))
      const last = intent && lastOf(intent, this.sender, journal)
      if (last && isInDoubt(last)) yield last
    }
  }

  /**
   * Records an intent for every row without one. Intents whose row has left the file are removed from the batch. Resolves
   * to false if an interruption left rows out.
   */
  async prepare(session: PaymentSession, currencyOf: (source: string) => string | null): Promise<boolean> {
    session.journal.release(this.sender, this.name)
    return recordInSlices(this.#drafts(currencyOf), this.staged.count(), session)
  }

  *#drafts(currencyOf: (source: string) => string | null): Generator<NewIntent, void> {
    const { profile, base_url, user, world } = this.sender
    for (const row of this.staged.rows()) {
      const { body, line, reference, columns = null, expected: expected_names = null } = row
      yield {
        profile,
        base_url,
        user,
        world,
        batch: this.name,
        idempotency_key: this.keyOf(row),
        body,
        line,
        reference,
        columns,
        currency: currencyOf(body.source_account_id),
        expected_names,
      }
    }
  }

  /** Rows not sent yet; all rows if there is no journal. */
  *unsent(journal: Journal | undefined): Generator<PlacedRow & { readonly idempotency_key: string }, void> {
    for (const row of this.staged.rows()) {
      const idempotency_key = this.keyOf(row)
      const intent = journal?.withKey(this.sender, idempotency_key)
      if (!intent || !mayHavePaid(intent.status)) yield { ...row, idempotency_key }
    }
  }

  /**
   * Intents of the rows, with line, reference and columns of this file: a row sent before may come from another file.
   * An interruption leaves rows without one.
   */
  *intents({ journal, signal }: PaymentSession): Generator<Intent, void> {
    for (const row of this.staged.rows()) {
      const intent = journal.withKey(this.sender, this.keyOf(row))
      if (!intent && signal?.aborted) continue
      if (!intent) throw lostRow(row)
      const { line, reference, columns = null } = row
      yield { ...lastOf(intent, this.sender, journal), line, reference, columns }
    }
  }
}

const lostRow = ({ line }: PlacedRow): UsageError =>
  new UsageError(`The payment journal has lost line ${line}.`, { kind: 'run_again' })
