import type { Context } from '../../cli/command.ts'
import { saidWithHint } from '../../cli/next_step.ts'
import { formatMoney } from '../../contract/money.ts'
import { CliError, reasonOf } from '../../errors/cli_error.ts'
import type { Exit } from '../../errors/exit_codes.ts'
import { type Failure, failureOf } from '../../errors/failure.ts'
import { type NextStep, toRun } from '../../errors/next_step.ts'
import type { BatchReport } from '../../payments/batch_plan.ts'
import { ofRows, type RowEnd, type Tally } from '../../payments/batch_result.ts'
import { lineOfBatch } from '../../payments/batches.ts'
import { joinedByAnd, joinedByComma, rowsSaid } from '../../payments/counted.ts'
import { grouped } from '../../run/counts.ts'
import { type Said, say, Text } from '../../words/text.ts'
import type { WrongRows } from './batch_results.ts'
import { balancesAfter } from './lacking_money.ts'

interface ReportOptions {
  /** True if the run waited for payments to end. */
  readonly awaited: boolean
  /** Next step for refused rows. */
  readonly correction: Said
  /** Failed rows, to list at the end. */
  readonly wrong: WrongRows
  /** File that the results were written to, if any. */
  readonly outputFile?: string | undefined
}

/** Prints the result of a batch. Throws CliError for the worst failure, if any. */
export async function reportResult(report: BatchReport, options: ReportOptions, context: Context): Promise<void> {
  const { awaited, correction } = options
  const { batch, whole, tally, interrupted, failure, writeError } = report
  const stopped =
    failure === undefined ? (interrupted ? 'interrupted' : undefined) : endOf(failureOf(failure, false), tally)
  const worst = writeError === undefined ? worstOf(endsOf(tally, { awaited, stopped })) : 'outcome_unknown'
  const counts = countsOf(tally, awaited)
  const others = whole && whole.rows !== tally.total ? whole : undefined
  if (worst === 'done') {
    const sums = sumsOf(tally)
    const result = sums ? say`${counts}: ${sums}.` : say`${counts}.`
    context.output.note(others ? result : say`${result} Batch ${batch}.`)
  } else await describeEnd(tally, options, context)
  if (others) context.output.note(lineOfBatch(others))
  else if (worst !== 'done') context.output.note(say`  Batch ${batch}`)
  if (options.outputFile !== undefined && writeError === undefined) {
    const results = say`Results in ${options.outputFile}.`
    context.output.note(others ? saidWithHint(results, show(batch), context.globals) : results)
  }
  if (worst === 'done') return
  // If this machine failed before anything was sent, throws that failure itself: counts of rows would add nothing.
  if (worst === 'usage' && tally.sent === 0 && failure instanceof CliError) throw failure
  const sentences = [
    ...(interrupted ? [say`Interrupted.`] : []),
    say`${counts}.`,
    ...(failure === undefined ? [] : [say`${reasonOf(failure)}.`]),
    ...(writeError === undefined ? [] : [say`The result could not be written: ${reasonOf(writeError)}.`]),
  ]
  const message = sentences.reduce((all, sentence) => say`${all} ${sentence}`)
  const cause = failure ?? writeError
  throw new CliError(worst, message, nextOf(report, worst, correction), { cause })
}

const show = (batch: string) =>
  toRun(['payments', 'batch', 'show', batch, '--output-file', '<file>'], 'For the results of the whole batch')

function nextOf(report: BatchReport, worst: Exit, correction: Said): NextStep | Said {
  const { batch, writeError, hasMoved, isRecorded } = report
  if (writeError !== undefined) return toRun(['payments', 'batch', 'show', batch], 'See the outcome of each row')
  if (hasMoved) return 'Run the same command again: in the current world each row is paid once'
  if (!isRecorded)
    return 'Run the same command again: not all rows were recorded, so `resume` would leave some rows out'
  const resume = (words: string) => toRun(['payments', 'resume', '--batch', batch], words)
  switch (worst) {
    case 'outcome_unknown':
      return resume('Find out')
    case 'rejected':
      return correction
    case 'payment_unsuccessful':
      return toRun(['payments', 'batch', 'retry', batch], 'To see each reason and send those rows again')
    case 'payment_in_progress':
      return 'Run the same command again to continue waiting: no row that was sent is sent again'
    default:
      return resume('To continue, run the same command again or')
  }
}

/**
 * Prints the amounts that are paid or on their way, the failed rows, and the balances of accounts that lacked money.
 */
async function describeEnd(tally: Tally, { wrong }: ReportOptions, context: Context): Promise<void> {
  const { output, io, translate } = context
  const sums = sumsOf(tally)
  if (sums) output.note(say`  Paid or on its way: ${sums}`)
  const lines = io.stderr.isTTY === true ? wrong.linesFor(io.stderr.columns || 80, translate) : wrong.lines(translate)
  for (const line of lines) output.note(line)
  for (const line of await balancesAfter(wrong, context)) output.note(line)
}

/**
 * Amounts that are paid or on their way, with their fees, as text: `12,300,000.10 CRC, fees 98,500.00 CRC`; undefined
 * if there are none.
 */
function sumsOf({ totals }: Tally): Text | undefined {
  const sums = totals.map(({ currency, amount, fees, areFeesEstimated }) => {
    const sum = formatMoney(amount, currency).trim()
    if (fees === null) return sum
    const fee = formatMoney(fees, currency).trim()
    return areFeesEstimated ? say`${sum}, fees about ${fee}` : say`${sum}, fees ${fee}`
  })
  return sums.length > 0 ? joinedByAnd(sums) : undefined
}

/** Possible exits of a batch, the worst first. */
const bySeverity: readonly Exit[] = [
  'outcome_unknown',
  'interrupted',
  'bug',
  'usage',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'unavailable',
  'payment_unsuccessful',
  'rejected',
  'payment_in_progress',
  'done',
]

export const worstOf = (ends: readonly Exit[]): Exit => bySeverity.find((exit) => ends.includes(exit)) ?? 'done'

const exitOf = {
  unknown: 'outcome_unknown',
  unsuccessful: 'payment_unsuccessful',
  rejected: 'rejected',
  in_progress: 'payment_in_progress',
} as const satisfies Partial<Record<RowEnd, Exit>>

/** `awaited`: true if the run waited for payments to end. */
function endsOf(tally: Tally, { awaited, stopped }: { awaited: boolean; stopped: Exit | undefined }): Exit[] {
  const met = (['unknown', 'unsuccessful', 'rejected'] as const).filter((end) => tally.of(end) > 0)
  const ends: Exit[] = met.map((end) => exitOf[end])
  if (awaited && tally.of('in_progress') > 0) ends.push(exitOf.in_progress)
  if (stopped) ends.push(stopped)
  else if (tally.unsent > 0) ends.push('unavailable')
  return ends
}

/**
 * After rows were sent, a fault of this machine ends with exit 10: the exit code of the fault would mean that nothing
 * happened.
 */
function endOf({ exit }: Failure, tally: Tally): Exit {
  const isOurs = exit === 'usage' || exit === 'bug'
  return isOurs && tally.sent > 0 ? 'outcome_unknown' : exit
}

/** Counts of rows as text: `12 of 240 rows sent, 228 not sent`. */
function countsOf(tally: Tally, awaited: boolean): Text {
  const doubtful = tally.of('unknown')
  const parts = [
    say`${grouped(tally.sent)} of ${rowsSaid(tally.total)} sent`,
    awaited && say`${grouped(tally.of('completed'))} completed`,
    tally.of('unsuccessful') > 0 && say`${grouped(tally.of('unsuccessful'))} ended unsuccessfully`,
    awaited && tally.of('in_progress') > 0 && say`${grouped(tally.of('in_progress'))} still in progress`,
    tally.of('rejected') > 0 && say`${grouped(tally.of('rejected'))} refused${ofRows}`,
    doubtful > 0 && say`the outcome of ${grouped(doubtful)} is unknown (money may have moved)`,
    tally.unsent > 0 && say`${grouped(tally.unsent)} not sent`,
  ]
  return joinedByComma(parts.filter((part) => part instanceof Text))
}
