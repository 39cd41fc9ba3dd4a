import { CliError } from '../../../output/cli_error.ts'
import type { Exit } from '../../../output/exit_codes.ts'
import { failureOf } from '../../../output/failure.ts'
import type { Context } from '../../context.ts'
import { repeatFlags } from '../repeat_flags.ts'
import type { Crew } from './crew.ts'
import type { Tally } from './tally.ts'

interface End {
  readonly tally: Tally
  readonly crew: Crew
  /** The batch's name. */
  readonly batch: string
  /** Whether payments were to be waited for. */
  readonly awaited: boolean
  /** What to do about rows that were refused. */
  readonly correction: string
}

/** Says how a batch ended. Throws CliError with the worst of it, unless all is well. */
export function conclude({ tally, crew, batch, awaited, correction }: End): void {
  const { context, failure } = crew
  const why = failure === undefined ? undefined : failureOf(failure, false)
  if (why?.exit === 'bug') throw failure
  const open = tally.unsent + (awaited ? tally.of('in_progress') : 0)
  const interrupted = context.signal.aborted && open > 0
  const worst = tally.worst({ awaited, stopped: why?.exit ?? (interrupted ? 'interrupted' : undefined) })
  const text = countsOf(tally, awaited)
  if (worst === 'done') {
    context.output.note(`${text} Batch ${batch}.`)
    return
  }
  const reason = why ? ` ${why.message.replace(/ Nothing was sent\.$/, '')}` : ''
  throw new CliError(
    worst,
    `${interrupted ? 'Interrupted. ' : ''}${text}${reason}`,
    hintFor(worst, batch, { context, correction }),
  )
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

function hintFor(
  worst: Exit,
  batch: string,
  { context, correction }: { context: Context; correction: string },
): string {
  const resume = `payctl payments resume --batch ${batch}${repeatFlags(context.globals)}`
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
