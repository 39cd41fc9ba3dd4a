import type { Client } from '../client/client.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import type { Intent } from '../journal/intent.ts'
import type { PlacedRow, StagedRows } from '../journal/staged_rows.ts'
import type { Reporter } from '../run/reporter.ts'
import type { Accounts } from './accounts.ts'
import { estimateFees } from './batch_checks.ts'
import { computedWarning, describeSummary, questionOf, type Summary, sentBefore, summarise } from './batch_summary.ts'
import { askToSend, sumsByCurrency } from './confirmation.ts'
import type { PaymentSession } from './payment_session.ts'
import { describePlace, type Sender, unclearDoubt } from './sender.ts'

// Decides if a batch is sent: asks about unclear cases, or refuses them if nobody can answer.

/** A batch that is about to be paid. */
interface Plan {
  readonly batch: PlannedBatch
  readonly accounts: Accounts
  /** Source of the rows, for people: the name of a file. */
  readonly title?: string | undefined
  readonly doubts: Doubts
  /** True if the sender has run exactly these rows before. */
  readonly isKnown: boolean
  /** Leave out rows that another batch has sent, without asking. */
  readonly skipSent: boolean | undefined
}

interface PlannedBatch {
  readonly name: string
  /** The caller's batch id, if any. */
  readonly scope: string | undefined
  readonly staged: StagedRows
  readonly sender: Sender
  /** Idempotency key of a row. */
  keyOf(row: PlacedRow): string
}

/** Count of rows that an earlier run may have sent, and of those that it sent in another batch. */
export interface Doubts {
  readonly rows: number
  readonly elsewhere: number
  /** Rows in doubt of the same batches that are not in this file: its rows may be corrected versions of them. */
  readonly missing: number
  /** Intents of its rows that the sender or another user may have sent. */
  readonly unclear: readonly Intent[]
  /** Names of the batches in which rows were sent. */
  readonly batches: readonly string[]
  /** Count of rows that differ from earlier payments only in the spelling of the description. */
  readonly respelt: number
}

export const noDoubts: Doubts = { rows: 0, elsewhere: 0, missing: 0, unclear: [], batches: [], respelt: 0 }

/** Shows the summary and asks to send. Throws CliError for any answer except yes. */
export async function agreeToBatch(
  plan: Plan,
  session: PaymentSession,
  confirm: boolean | undefined,
): Promise<Estimates> {
  const { reporter } = session
  const { batch, doubts } = plan
  const { summary, estimates } = await showSummary(plan, session, confirm)
  if (summary.to_send === 0) {
    const next = { kind: 'pay_rows_again', hasBatchId: batch.scope !== undefined } as const
    reporter.remark(`Nothing to send: all ${sentBefore(summary)}.`, next)
    return estimates
  }
  const { length } = doubts.unclear
  if (length > 0) {
    const which = `Nothing was sent: ${length} ${length === 1 ? 'row' : 'rows'} of this file`
    throw unclearDoubt(doubts.unclear, which, session)
  }
  const unclear = unclarity(plan, summary)
  const [computed] = computedWarning(batch.staged)
  if (computed !== undefined && !confirm) {
    throw new UsageError(`In the file ${computed}. Nothing was sent.`, { kind: 'paste_values' })
  }
  if (unclear && !confirm) throw new UsageError(`${unclear.question} Nothing was sent.`, unclear.next)
  if (unclear) reporter.remark(`  Warning      ${unclear.question}`, unclear.next)
  const sums = sumsByCurrency(summary.debits)
  if (confirm) await askToSend(questionOf(summary), sums, session)
  else session.guard?.requireNoTyping(sums)
  return estimates
}

interface Showing {
  readonly client: Client
  readonly reporter?: Reporter
}

type Estimates = Awaited<ReturnType<typeof estimateFees>>

interface Shown {
  readonly summary: Summary
  readonly estimates: Estimates
}

/** `isAsked`: a question follows, so show the summary even in a quiet run. */
export async function showSummary(plan: Plan, { client, reporter }: Showing, isAsked = false): Promise<Shown> {
  const { batch, doubts, accounts } = plan
  const { name, staged } = batch
  const estimates = await estimateFees(staged, client, (row) => batch.keyOf(row))
  const summary = summarise({ batch: name, staged, accounts, estimates, in_doubt: doubts.rows })
  const shown = { title: plan.title ?? 'Batch', place: describePlace(batch.sender), batches: doubts.batches }
  for (const line of describeSummary(summary, shown)) isAsked ? reporter?.fact(line) : reporter?.remark(line)
  return { summary, estimates }
}

/** A question that only the caller can answer, and the next step without an answer. */
interface Unclarity {
  readonly question: string
  readonly next: NextStep
}

/**
 * Three cases. A row in doubt that was changed since could be paid in both versions. Rows that were sent with another
 * spelling may be the same list from another program. If some rows were sent from another file and others not, this may
 * be that file corrected, or next month's file.
 */
export function unclarity(
  { batch, doubts, isKnown, skipSent }: Plan,
  { known, rows, to_send, sent_before }: Summary,
): Unclarity | undefined {
  if (to_send === 0) return undefined
  if (doubts.missing > 0) {
    const which = `${doubts.missing} ${doubts.missing === 1 ? 'row' : 'rows'} sent with the rows of this file`
    return {
      question: `${which} ${doubts.missing === 1 ? 'is' : 'are'} in doubt and no longer in the file. If they were corrected there, both could be paid.`,
      next: { kind: 'resume_all' },
    }
  }
  if (doubts.respelt > 0) {
    const rows = doubts.respelt === 1 ? '1 row asks' : `${doubts.respelt} rows ask`
    return {
      question: `${rows} for a payment that was sent before with its description spelt otherwise, or with a description. If this is the same list, saved by another program, it would be paid twice.`,
      next: { kind: 'confirm_respelt_rows' },
    }
  }
  const elsewhere = known.elsewhere + doubts.elsewhere
  if (batch.scope !== undefined || skipSent || elsewhere === 0) return undefined
  if (isKnown) return undefined
  const when = known.rows > 0 ? `: ${sentBefore({ sent_before, known })}` : ''
  return {
    question: `${elsewhere} of ${rows} rows ask for what another file has sent${when}.`,
    next: { kind: 'confirm_corrected_file' },
  }
}
