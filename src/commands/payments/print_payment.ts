import type { InitiatedPayment, Payment } from '../../client/received.ts'
import { hasEnded } from '../../contract/terminal_statuses.ts'
import { CliError, reasonOf } from '../../errors/cli_error.ts'
import { flush, isBrokenPipe } from '../../run/sink.ts'
import type { Context } from '../context.ts'
import { repeatFlags } from '../next_step.ts'
import { sentLayout } from './columns.ts'

/** Prints a payment that was made. If that fails, the error names the payment. */
export async function printPayment(payment: InitiatedPayment | Payment, context: Context): Promise<void> {
  try {
    await context.output.record(payment, sentLayout)
    await flush(context.io.stdout, context.signal)
  } catch (error) {
    if (isBrokenPipe(error)) return
    if (error instanceof CliError || context.signal.aborted) throw error
    throw new CliError(
      'outcome_unknown',
      `Payment ${payment.id} has been sent, but its result could not be written: ${reasonOf(error)}.`,
      `payctl payments get ${payment.id}${repeatFlags(context.globals)}`,
    )
  }
}

interface Last {
  readonly id: string
  /** Missing without an answer in time, or if the answer has none. */
  readonly status?: Payment['status']
  readonly error_message?: string | null | undefined
}

/** Exit 8 for a payment that ended otherwise, 9 for one that has not ended; `watching` is how to go on waiting. */
export function requireCompleted(payment: Last, watching: string): void {
  const { id, status, error_message } = payment
  if (status === 'completed') return
  if (!hasEnded(status)) {
    const state = !status
      ? `The status of payment ${id} could not be read in time`
      : `Payment ${id} is still ${status}: the time to wait ran out`
    throw new CliError('payment_in_progress', `${state}.`, watching)
  }
  const why = error_message ? `: ${error_message}` : ''
  throw new CliError('payment_unsuccessful', `Payment ${id} ended as ${status}${why}`, `payctl payments get ${id}`)
}
