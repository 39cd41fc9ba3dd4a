import { UsageError } from '../errors/cli_error.ts'
import { type Intent, mayHavePaid, type NewIntent, unsentStatuses } from '../journal/intent.ts'
import type { StagedPayee } from '../journal/staged_rows.ts'
import type { CsvDialect } from '../sheets/sheet.ts'
import { say } from '../words/text.ts'
import {
  type BatchPlan,
  type BatchReport,
  carryOut,
  type Proposal,
  type RunOptions,
  recordInSlices,
  requireWithinLimits,
  type UnsentRow,
} from './batch_plan.ts'
import {
  type BatchSummary,
  computedWarning,
  describeSummary,
  estimateFees,
  expectedFee,
  type FeeEstimates,
  questionOf,
  sentBefore,
  summarise,
} from './batch_summary.ts'
import type { CheckedRows } from './checked_rows.ts'
import { type Asking, remarkOnTyping, sumsByCurrency } from './confirmation.ts'
import { rowsSaid } from './counted.ts'
import { batchNameOf, type EarlierRuns, lastOf, recallRuns, unclarity } from './earlier_runs.ts'
import { checkHolders, checkPayees, type HolderNotes, type LookupOptions, linesOfNotes, lookUpNew } from './holders.ts'
import { type PaymentOptions, type PaymentSession, withSession } from './payment_session.ts'
import { describePlace, unclearDoubt } from './sender.ts'
import { PaidBefore } from './unusual_rows.ts'

// Pays the rows of a file, or of a program.

/** Options to select the rows to send. */
export interface RowSelection extends Asking, Omit<LookupOptions, 'client'> {
  /** Source of the rows, for people: the name of a file. */
  readonly title?: string | undefined
  /** Form of a CSV file, for results that are written later. */
  readonly form?: CsvDialect | undefined
  /** True: leaves out rows that were sent in another batch, without asking. */
  readonly skipSent?: boolean | undefined
  /**
   * True: looks up every payee before anything is sent; `new`: only payees without an earlier payment in the journal.
   */
  readonly checkPayees?: boolean | 'new' | undefined
  /** True: asks the reporter before anything is sent. False: unclear cases are refused. */
  readonly confirm?: boolean
}

/**
 * Pays rows that have not been sent. The intents of these rows are on disk before the first request is sent. Throws
 * errors that prevent the start of the batch; later errors are part of the report.
 */
export const payBatch = (rows: CheckedRows, options: RowSelection & RunOptions): Promise<BatchReport> =>
  withSession(options, async (session) => carryOut(await FileBatch.select(rows, options, session), options, session))

/** Dry run: shows what would be sent, and throws if limits forbid a row. Sends nothing. */
export const dryRunBatch = (rows: CheckedRows, options: RowSelection & PaymentOptions): Promise<BatchSummary> =>
  withSession(options, async (session) => {
    const batch = await FileBatch.select(rows, { ...options, asksPerson: false }, session)
    const notes = await batch.check()
    const { summary } = await batch.show()
    for (const line of linesOfNotes(notes, session.reporter.translate)) session.reporter.remark(line)
    const unclear = batch.unclarity(summary)
    if (unclear) session.reporter.remark(say`Warning  ${unclear.question}`)
    await requireWithinLimits(batch, session)
    remarkOnTyping(sumsByCurrency(summary.debits), session.guard, session.reporter)
    return summary
  })

/** One sender's rows of one file, and their records in the journal. */
class FileBatch implements BatchPlan {
  readonly batch: string
  readonly total: number
  readonly accounts: CheckedRows['accounts']
  readonly #staged: CheckedRows['staged']
  readonly #earlier: EarlierRuns
  readonly #options: RowSelection
  readonly #session: PaymentSession
  readonly #before: PaidBefore

  private constructor(
    { staged, accounts }: CheckedRows,
    earlier: EarlierRuns,
    options: RowSelection,
    session: PaymentSession,
  ) {
    this.batch = batchNameOf(staged)
    this.total = staged.count()
    this.accounts = accounts
    this.#staged = staged
    this.#earlier = earlier
    this.#options = options
    this.#session = session
    this.#before = PaidBefore.read(staged, this.batch, session.journal, session.sender)
  }

  /** Finds the rows that earlier runs have sent, or may have sent. */
  static async select(rows: CheckedRows, options: RowSelection, session: PaymentSession): Promise<FileBatch> {
    return new FileBatch(rows, await recallRuns(rows.staged, options, session), options, session)
  }

  get inDoubt(): number {
    return this.#earlier.inDoubt
  }

  async check(): Promise<HolderNotes> {
    const { client, reporter } = this.#session
    const options = { ...this.#options, client, reporter }
    const { checkPayees: which } = options
    if (which === true) await checkPayees(this.#staged.recipients(), options)
    const found = which === 'new' ? await lookUpNew(this.#newPayees(), options) : []
    const compared = await checkHolders(this.#staged.expectations(), options)
    return [...found, ...compared]
  }

  *#newPayees(): Generator<StagedPayee, void> {
    for (const payee of this.#staged.recipients()) if (!this.#before.has(payee.recipient)) yield payee
  }

  *unsent(): Generator<UnsentRow, void> {
    const { journal, sender } = this.#session
    for (const row of this.#staged.rows()) {
      const intent = journal.withKey(sender, row.idempotency_key)
      if (!intent || !mayHavePaid(intent.status)) yield row
    }
  }

  /** Shows the summary, even in a quiet run if a question follows. */
  async show(): Promise<{ readonly summary: BatchSummary; readonly estimates: FeeEstimates }> {
    const { client, reporter, sender } = this.#session
    const { title = 'Batch', confirm } = this.#options
    const { batch, accounts } = this
    const estimates = await estimateFees(this.#staged, client)
    const unusual = this.#before.unusual(this.#staged)
    const summary = summarise({ batch, staged: this.#staged, accounts, estimates, in_doubt: this.inDoubt, unusual })
    const { batches, prospects } = this.#earlier
    const heading = { title, place: describePlace(sender), batches, prospects }
    for (const line of describeSummary(summary, heading, reporter.translate))
      confirm ? reporter.fact(line) : reporter.remark(line)
    return { summary, estimates }
  }

  unclarity(summary: BatchSummary): ReturnType<typeof unclarity> {
    const isDecided = this.#staged.scope !== undefined || this.#options.skipSent === true
    return unclarity(this.#earlier, summary, isDecided)
  }

  async propose(): Promise<Proposal> {
    const { reporter } = this.#session
    const { summary, estimates } = await this.show()
    const feeOf = (intent: Intent) => expectedFee(intent, estimates)
    if (summary.to_send === 0) {
      const next = { kind: 'pay_rows_again', hasBatchId: this.#staged.scope !== undefined } as const
      reporter.remark(say`Nothing to send: all ${sentBefore(summary)}.`, next)
      return { sums: [], feeOf }
    }
    this.#requireClear(summary)
    return { question: questionOf(summary), sums: sumsByCurrency(summary.debits), feeOf }
  }

  /**
   * Throws for cases that only the caller can decide. If a person is asked, the person decides them, except for rows
   * that an unknown user may have paid.
   */
  #requireClear(summary: BatchSummary): void {
    const { confirm } = this.#options
    const { unclear: intents } = this.#earlier
    if (intents.length > 0) {
      const which = say`Nothing was sent: ${rowsSaid(intents.length)} of this file`
      throw unclearDoubt(intents, which, this.#session)
    }
    const [computed] = computedWarning(this.#staged)
    if (computed !== undefined && !confirm) {
      throw new UsageError(say`In the file ${computed}. Nothing was sent.`, { kind: 'paste_values' })
    }
    const unclear = this.unclarity(summary)
    if (!unclear) return
    if (!confirm) throw new UsageError(say`${unclear.question} Nothing was sent.`, unclear.next)
    this.#session.reporter.remark(say`  Warning      ${unclear.question}`, unclear.next)
  }

  /** Records the intents of the rows, and removes an intent from the batch if its row is no longer in the file. */
  async record(): Promise<boolean> {
    const { journal, sender } = this.#session
    const { title: file = null, form = null } = this.#options
    const removed = this.#removed()
    journal.inTransaction(() => {
      for (const id of removed) {
        journal.releasePrepared(id)
        journal.release(id)
      }
      journal.describeBatch(sender, this.batch, { file, form, isComplete: this.#isComplete() })
    })
    const isComplete = await recordInSlices(this.#newIntents(), this.total, this.#session)
    if (isComplete) journal.describeBatch(sender, this.batch, { file, form, isComplete })
    return isComplete
  }

  /** True if an earlier run has recorded all rows: a resumption of the batch then leaves no row out. */
  #isComplete(): boolean {
    const { journal, sender } = this.#session
    for (const { idempotency_key: key } of this.#staged.rows()) {
      const intent = journal.withKey(sender, key)
      if (!intent || (intent.batch !== this.batch && !mayHavePaid(intent.status))) return false
    }
    return true
  }

  /**
   * Ids of unsent intents of this batch whose rows are no longer in the file. All other intents stay in the batch at
   * every moment, so that a run that is cut off here loses none.
   */
  #removed(): readonly string[] {
    const { journal, sender } = this.#session
    const byKey = new Map<string, string>()
    for (const { id, idempotency_key } of journal.list({ batch: this.batch, of: sender, statuses: unsentStatuses }))
      byKey.set(idempotency_key, id)
    if (byKey.size > 0) for (const { idempotency_key } of this.#staged.rows()) byKey.delete(idempotency_key)
    return [...byKey.values()]
  }

  *#newIntents(): Generator<NewIntent, void> {
    const { profile, base_url, user, world } = this.#session.sender
    for (const row of this.#staged.rows()) yield { ...row, profile, base_url, user, world, batch: this.batch }
  }

  /**
   * Yields the intents of the rows. The line, reference and columns are those of this file, because a row that was sent
   * before may come from another file. An interruption leaves rows without an intent.
   */
  *intents(): Generator<Intent, void> {
    const { journal, sender, signal } = this.#session
    for (const { idempotency_key: key, line, reference, columns } of this.#staged.rows()) {
      const intent = journal.withKey(sender, key)
      if (!intent && signal?.aborted) continue
      if (!intent) throw new UsageError(say`The payment journal has lost line ${line}.`, { kind: 'run_again' })
      yield { ...lastOf(intent, sender, journal), line, reference, columns }
    }
  }

  /** False for a row that was shown as in doubt and no longer is: its holder was not compared. */
  isAgreed({ status, line }: Intent): boolean {
    return mayHavePaid(status) || this.inDoubt === 0 || line === null || !this.#staged.isInDoubt(line)
  }
}
