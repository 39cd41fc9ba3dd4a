import type { Context } from '../../cli/command.ts'
import { hintOf } from '../../cli/next_step.ts'
import { formatMoney } from '../../contract/money.ts'
import { CliError, reasonOf } from '../../errors/cli_error.ts'
import type { Exit } from '../../errors/exit_codes.ts'
import { type Failure, failureOf } from '../../errors/failure.ts'
import { type NextStep, toRun } from '../../errors/next_step.ts'
import type { BatchReport } from '../../payments/batch_plan.ts'
import type { RowEnd, Tally } from '../../payments/batch_result.ts'
import { lineOfBatch } from '../../payments/batches.ts'
import { counted, grouped } from '../../run/counts.ts'
import type { WrongRows } from './batch_results.ts'
import { balancesAfter } from './lacking_money.ts'

interface ReportOptions {
  /** True if the run waited for payments to end. */
  readonly awaited: boolean
  /** Next step for refused rows. */
  readonly correction: string
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
  const text = countsOf(tally, awaited)
  const others = whole && whole.rows !== tally.total ? whole : undefined
  const named = others ? '' : ` Batch ${batch}.`
  if (worst === 'done') context.output.note(`${text.replace(/\.$/, '')}${sumsOf(tally, ': ')}.${named}`)
  else await describeEnd(tally, options, context)
  if (others) context.output.note(lineOfBatch(others))
  else if (worst !== 'done') context.output.note(`  Batch ${batch}`)
  if (options.outputFile !== undefined && writeError === undefined)
    context.output.note(`Results in ${options.outputFile}.${others ? ` ${hintOf(show(batch), context.globals)}` : ''}`)
  if (worst === 'done') return
  // If this machine failed before anything was sent, the message of the failure says more.
  if (worst === 'usage' && tally.sent === 0 && failure instanceof CliError) throw failure
  const reason = failure === undefined ? '' : ` ${reasonOf(failure)}.`
  const unwritten = writeError === undefined ? '' : ` The result could not be written: ${reasonOf(writeError)}.`
  const message = `${interrupted ? 'Interrupted. ' : ''}${text}${reason}${unwritten}`
  const cause = failure ?? writeError
  throw new CliError(worst, message, nextOf(report, worst, correction), { cause })
}

const show = (batch: string) =>
  toRun(['payments', 'batch', 'show', batch, '--output-file', '<file>'], 'Those of the whole batch')

function nextOf(report: BatchReport, worst: Exit, correction: string): NextStep | string {
  const { batch, writeError, hasMoved, isRecorded } = report
  if (writeError !== undefined) return toRun(['payments', 'batch', 'show', batch], 'See the outcome of each')
  if (hasMoved) return 'Run the same command again: in the current world each row is paid once'
  if (!isRecorded) return 'Run the same command again: not all rows were recorded, so `resume` would leave some out'
  const resume = (words: string) => toRun(['payments', 'resume', '--batch', batch], words)
  switch (worst) {
    case 'outcome_unknown':
      return resume('Find out')
    case 'rejected':
      return correction
    case 'payment_unsuccessful':
      return toRun(['payments', 'batch', 'retry', batch], 'To look at each reason and send them again')
    case 'payment_in_progress':
      return 'Run the same command again to continue waiting: no row that was sent is sent again'
    default:
      return resume('To continue, run the same command again or')
  }
}

/** Prints the paid amounts and the failed rows. */
async function describeEnd(tally: Tally, { wrong }: ReportOptions, context: Context): Promise<void> {
  const { output, io } = context
  const sums = sumsOf(tally, '  Paid or on its way: ')
  if (sums !== '') output.note(sums)
  const lines = io.stderr.isTTY === true ? wrong.linesFor(io.stderr.columns || 80) : wrong.lines
  for (const line of lines) output.note(line)
  for (const line of await balancesAfter(wrong, context)) output.note(line)
}

/** `12,300,000.10 CRC, fees 98,500.00 CRC` after `start`; empty when nothing was paid. */
function sumsOf({ totals }: Tally, start: string): string {
  const sums = totals.map(({ currency, amount, fees, areFeesEstimated }) => {
    const sum = formatMoney(amount, currency).trim()
    if (fees === null) return sum
    return `${sum}, fees ${areFeesEstimated ? 'about ' : ''}${formatMoney(fees, currency).trim()}`
  })
  return sums.length > 0 ? `${start}${sums.join(' and ')}` : ''
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

/** `awaited`: true if payments should have ended by now. */
function endsOf(tally: Tally, { awaited, stopped }: { awaited: boolean; stopped: Exit | undefined }): Exit[] {
  const met = (['unknown', 'unsuccessful', 'rejected'] as const).filter((end) => tally.of(end) > 0)
  const ends: Exit[] = met.map((end) => exitOf[end])
  if (awaited && tally.of('in_progress') > 0) ends.push(exitOf.in_progress)
  if (stopped) ends.push(stopped)
  else if (tally.unsent > 0) ends.push('unavailable')
  return ends
}

/**
 * After rows were sent, a fault of this machine ends with exit 10: its own exit code would mean that nothing happened.
 */
function endOf({ exit }: Failure, tally: Tally): Exit {
  const isOurs = exit === 'usage' || exit === 'bug'
  return isOurs && tally.sent > 0 ? 'outcome_unknown' : exit
}

function countsOf(tally: Tally, awaited: boolean): string {
  const doubtful = tally.of('unknown')
  const parts = [
    `${grouped(tally.sent)} of ${counted(tally.total, 'row')} sent`,
    awaited && `${grouped(tally.of('completed'))} completed`,
    tally.of('unsuccessful') > 0 && `${grouped(tally.of('unsuccessful'))} ended unsuccessfully`,
    awaited && tally.of('in_progress') > 0 && `${grouped(tally.of('in_progress'))} still in progress`,
    tally.of('rejected') > 0 && `${grouped(tally.of('rejected'))} refused`,
    doubtful > 0 && `the outcome of ${grouped(doubtful)} is unknown, money may have moved`,
    tally.unsent > 0 && `${grouped(tally.unsent)} not sent`,
  ]
  return `${parts.filter((part) => part).join(', ')}.`
}
