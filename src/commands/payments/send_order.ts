import type { Context } from '../../cli/command.ts'
import { reporterOf } from '../../cli/reporter.ts'
import type { Named, Payment } from '../../client/received.ts'
import { CliError, concerning, IntentError, saidBy } from '../../errors/cli_error.ts'
import type { Intent, Order } from '../../journal/intent.ts'
import { type Journal, journalToRead } from '../../journal/journal.ts'
import { statusChanges } from '../../payments/follow.ts'
import { type Recording, recordPayment } from '../../payments/made_payments.ts'
import { requireFactsOf } from '../../payments/same_payment.ts'
import { dryRunPayment, sendPayment } from '../../payments/send.ts'
import { moneyWords } from '../../values/money_outcome.ts'
import { say } from '../../words/text.ts'
import { validationColumns } from './columns.ts'
import type { EarlyReads } from './early_reads.ts'
import { withBalance, withBalanceIfLacking } from './lacking_money.ts'
import {
  inProgress,
  intentIn,
  isOfEmulator,
  type MadePayment,
  printPayment,
  requireCompleted,
  requirePaying,
} from './print_payment.ts'
import type { SendFlags } from './send.ts'
import { SendingLine } from './sending_line.ts'
import { paymentOptions, requireAnswerer, senderOptions, withJournal } from './session.ts'

interface Sending {
  readonly flags: SendFlags
  readonly early: EarlyReads | undefined
}

/** Options that reuse early reads. */
const readingOptions = async (early: EarlyReads | undefined) =>
  early && { earlySender: early.sender, reads: await early.client }

/** Prints the service’s validation, and sends nothing. */
export async function checkOrder(order: Order, { flags, early }: Sending, context: Context): Promise<void> {
  const journal = journalToRead(context.stateDir)
  try {
    const options = { ...paymentOptions(await senderOptions(context), context), limitsIn: context.configDir, journal }
    const reading = await readingOptions(early)
    const dryRun = dryRunPayment(order, { ...options, ...reading, askUncompared: flags.nameUnchecked })
    const validation = await withBalanceIfLacking(dryRun, order, context)
    await context.output.record(validation, validationColumns)
  } finally {
    journal.close()
  }
}

export async function sendOrder(order: Order, { flags, early }: Sending, context: Context): Promise<void> {
  requireAnswerer(flags.yes, context)
  const line = new SendingLine(context)
  await withJournal(context, flags, async (options) => {
    const sending = sendPayment(order, {
      ...options,
      ...(await readingOptions(early)),
      confirm: !flags.yes,
      askUncompared: flags.nameUnchecked,
      onLeaving: (what) => line.leaving(what),
    })
    const sent = await withBalanceIfLacking(sending, order, context)
    await concerning({ id: sent.intentId }, async () => {
      if (sent.outcome !== 'accepted') {
        const error = await withBalance(sent.error, order, context)
        throw sent.outcome === 'unknown' ? error : new IntentError(sent.intentId, error, moneyWords('nothing_taken'))
      }
      line.shows(sent.payment)
      const made = { payment: sent.payment, intent: intentIn(options.journal, sent.intentId) }
      if (flags.wait) await printEnd(made, line, { context, journal: options.journal, timeout: flags.waitTimeout })
      else await printPayment(made, line, context)
      requirePaying(sent.payment, isOfEmulator(made.intent))
    })
  }).finally(() => line.end())
}

interface Waiting {
  readonly context: Context
  readonly journal: Journal
  /** Milliseconds. */
  readonly timeout: number
}

/** Records a status that was read from the service. A journal that can't be written must not hide the payment. */
function noteStatus(intent: Intent, payment: Named<Payment>, recording: Recording): void {
  try {
    recordPayment(intent, payment, recording)
  } catch {
    // The next run reads the status again.
  }
}

/**
 * Waits for the end of a payment. Prints the payment's last known state on stdout; an error during the wait never says
 * that nothing was sent.
 */
async function printEnd(
  { payment: sent, intent }: MadePayment,
  line: SendingLine,
  { context, journal, timeout }: Waiting,
): Promise<void> {
  const { signal } = context
  const client = await context.client('payment')
  const reporter = reporterOf(context)
  let last: MadePayment['payment'] = sent
  let failure: CliError | undefined
  try {
    for await (const payment of statusChanges(sent.id, { client, signal, timeout })) {
      if (intent) requireFactsOf(intent, payment)
      last = payment
      if (intent) noteStatus(intent, payment, { journal, reporter })
      line.shows(payment)
    }
  } catch (error) {
    const problem = say`its status could not be read: ${saidBy(error)}`
    failure = signal.aborted
      ? new CliError('interrupted', say`Interrupted. Payment ${sent.id} was sent, and is still in progress.`, {
          kind: 'watch_payment',
          paymentId: sent.id,
        })
      : inProgress(say`Payment ${sent.id} has been sent, but ${problem}`, sent.id)
  }
  await printPayment({ payment: last, intent }, line, context)
  if (failure) throw failure
  requireCompleted(last, isOfEmulator(intent))
}
