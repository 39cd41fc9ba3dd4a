import { CliError } from '../../errors/cli_error.ts'
import type { Exit } from '../../errors/exit_codes.ts'
import { type Failure, failureOf } from '../../errors/failure.ts'
import { reasonOf } from '../../errors/reason.ts'
import type { Tally } from '../../payments/batch_result.ts'
import type { Crew } from '../../payments/batch_runner.ts'

interface End {
  readonly tally: Tally
  readonly crew: Crew
  /** Rows that were in doubt before this run. */
  readonly doubts: number
  /** Why the result could not be written to its end, if so. */
  readonly untold: unknown
  /** The batch's name. */
  readonly batch: string
  /** Whether payments were to be waited for. */
  readonly awaited: boolean
  /** What to do about rows that were refused. */
  readonly correction: string
}

/** Says how a batch ended. Throws CliError with the worst of it, unless all is well. */
export function conclude({ tally, crew, doubts, untold, batch, awaited, correction }: End): void {
  const { context } = crew
  // Another process at work on the same rows puts some in doubt that were not before.
  tally.leaveInDoubt(Math.max(0, doubts - crew.doubtsMet))
  const open = tally.unsent + (awaited ? tally.of('in_progress') : 0)
  const interrupted = context.signal.aborted && open > 0
  const failure = crew.failure ?? (tally.unsent > 0 && !interrupted ? crew.silence : undefined)
  const stopped =
    failure === undefined ? (interrupted ? 'interrupted' : undefined) : endOf(failureOf(failure, false), tally)
  const worst = untold === undefined ? tally.worst({ awaited, stopped }) : 'outcome_unknown'
  const text = countsOf(tally, awaited)
  if (worst === 'done') {
    context.output.note(`${text} Batch ${batch}.`)
    return
  }
  const reason = failure === undefined ? '' : ` ${reasonOf(failure)}.`
  const unwritten = untold === undefined ? '' : ` The result could not be written: ${reasonOf(untold)}.`
  const hint =
    untold === undefined
      ? crew.sender.hasMoved
        ? 'Run the same command again: in the world that is there now each row is paid once'
        : hintFor(worst, crew.resume, correction)
      : `See what became of each: payctl payments intents --batch ${batch}`
  const error = new CliError(worst, `${interrupted ? 'Interrupted. ' : ''}${text}${reason}${unwritten}`, hint)
  error.cause = failure ?? untold
  throw error
}

/** A fault of this machine is no usage error, nor any other end that says that nothing happened, once rows have left. */
function endOf({ exit }: Failure, tally: Tally): Exit {
  const isOurs = exit === 'usage' || exit === 'bug'
  return isOurs && tally.sent > 0 ? 'outcome_unknown' : exit
}

function countsOf(tally: Tally, awaited: boolean): string {
  const doubtful = tally.of('outcome_unknown')
  const parts = [
    `${tally.sent} of ${tally.total} ${tally.total === 1 ? 'row' : 'rows'} sent`,
    awaited && `${tally.of('done')} completed`,
    tally.of('payment_unsuccessful') > 0 && `${tally.of('payment_unsuccessful')} ended unsuccessfully`,
    awaited && tally.of('in_progress') > 0 && `${tally.of('in_progress')} still in progress`,
    tally.of('rejected') > 0 && `${tally.of('rejected')} refused`,
    doubtful > 0 && `the outcome of ${doubtful} is unknown, money may have moved`,
    tally.unsent > 0 && `${tally.unsent} not sent`,
  ]
  return `${parts.filter((part) => part).join(', ')}.`
}

function hintFor(worst: Exit, resume: string, correction: string): string {
  switch (worst) {
    case 'outcome_unknown':
      return `Find out, nothing is paid twice: ${resume}`
    case 'rejected':
      return correction
    case 'payment_unsuccessful':
      return `Their reasons: payctl payments get <payment id>. To pay them again, put them in a file with a --batch-id of its own`
    case 'payment_in_progress':
      return 'Run the same command again to go on waiting: nothing is paid twice'
    default:
      return `To go on, run the same command again or: ${resume} (nothing is paid twice)`
  }
}
