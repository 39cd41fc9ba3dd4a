import type { Context } from '../../cli/command.ts'
import { extended } from '../../client/decode.ts'
import type { InitiatedPayment, Named, Payment } from '../../client/received.ts'
import { endedUnpaid, hasEnded } from '../../contract/payment_names.ts'
import { CliError, reasonOf } from '../../errors/cli_error.ts'
import type { Intent } from '../../journal/intent.ts'
import type { Journal } from '../../journal/journal.ts'
import { flush, isBrokenPipe } from '../../run/sink.ts'
import { moneyOutcome, moneyWords } from '../../values/money_outcome.ts'
import { foreign, type Said, say } from '../../words/text.ts'
import { sentLayout } from './columns.ts'
import type { SendingLine } from './sending_line.ts'

/** The intent on disk; null if it can't be read: the payment is printed anyway. */
export function intentIn(journal: Journal, id: string): Intent | null {
  try {
    return journal.find(id) ?? null
  } catch {
    return null
  }
}

export const isOfEmulator = (intent: Intent | null): boolean => intent !== null && intent.world !== null

/** A payment that was made, and its intent on disk. */
export interface MadePayment {
  readonly payment: Named<InitiatedPayment | Payment>
  readonly intent: Intent | null
}

/** Prints a payment that was made; JSON also contains its intent. If printing fails, the error names the payment. */
export async function printPayment(
  { payment, intent }: MadePayment,
  line: SendingLine,
  context: Context,
): Promise<void> {
  try {
    const isStateShown = line.end() && context.io.stdout.isTTY === true
    await context.output.record(recordOf({ payment, intent }), sentLayout(isStateShown))
    await flush(context.io.stdout, context.signal)
  } catch (error) {
    if (isBrokenPipe(error)) return
    if (error instanceof CliError || context.signal.aborted) throw error
    throw new CliError(
      'outcome_unknown',
      say`Payment ${payment.id} has been sent, but its result could not be written: ${reasonOf(error)}.`,
      { kind: 'get_payment', paymentId: payment.id },
    )
  }
}

/**
 * Gives the answer to a payment request the same shape as a payment that was read later: a missing member comes from
 * the intent, or is null. The printed intent has the status of the payment.
 */
function recordOf({ payment, intent }: MadePayment) {
  const { source_account_id = null, recipient_iban = null, recipient_phone = null } = intent?.body ?? {}
  const others = {
    source_account_id,
    recipient_iban,
    recipient_phone,
    transfer_type: 'debit',
    fee: null,
    payer: null,
    payee: null,
    sinpe_reference: null,
    error_message: null,
    created_at: null,
    submitted_at: null,
    completed_at: null,
  }
  const missing = Object.fromEntries(Object.entries(others).filter(([name]) => !(name in payment)))
  const { status } = payment
  const agreeing = intent && status ? { ...intent, payment_status: status } : intent
  return extended(payment, { ...missing, intent: agreeing })
}

interface LastStatus {
  readonly id: string
  /** Missing if no answer came in time, or if the answer has no status. */
  readonly status?: Payment['status']
  readonly error_message?: string | null | undefined
  readonly submitted_at?: string | null | undefined
  readonly payer?: { readonly iban?: string | null | undefined }
}

/** Throws unless the payment is completed: exit 8 if it ended otherwise, 9 if it has not ended. */
export function requireCompleted(payment: LastStatus, isEmulator: boolean): void {
  const { id, status } = payment
  if (status === 'completed') return
  if (!hasEnded(status)) {
    const state = !status
      ? say`The status of payment ${id} could not be read within the time limit`
      : say`Payment ${id} is still ${foreign(status)}: the wait timed out`
    throw inProgress(say`${state}.`, id)
  }
  requirePaying(payment, isEmulator)
}

/** Throws (exit 8) for a payment that has ended without paying. */
export function requirePaying(payment: LastStatus, isEmulator: boolean): void {
  const { id, status, error_message, payer } = payment
  if (!endedUnpaid(status)) return
  const money = moneyOutcome(payment, isEmulator)
  const ended = say`Payment ${id} ended as ${foreign(String(status))}`
  const why = error_message ? say`${ended}: ${foreign(error_message)}` : ended
  throw new CliError('payment_unsuccessful', money ? say`${why}; ${moneyWords(money, payer?.iban)}` : why, {
    kind: 'get_payment',
    paymentId: id,
  })
}

/** Error for a payment that has not ended. `message` says why the final status is unknown. */
export const inProgress = (message: Said, id: string): CliError =>
  new CliError('payment_in_progress', message, { kind: 'watch_payment', paymentId: id })
