import type { InitiatedPayment, Named, Payment } from '../../client/received.ts'
import { CliError, concerning } from '../../errors/cli_error.ts'
import { ApiError } from '../../errors/service_errors.ts'
import type { Intent } from '../../journal/intent.ts'
import { existingJournal } from '../../journal/journal.ts'
import { statusChanges } from '../../payments/follow.ts'
import type { Order } from '../../payments/order.ts'
import { rehearsePayment, sendPayment } from '../../payments/send.ts'
import { zonedTime } from '../../run/time.ts'
import type { Context } from '../context.ts'
import { reporterOf } from '../reporter.ts'
import { validationColumns } from './columns.ts'
import type { SendSettings } from './payment_flags.ts'
import { inProgress, intentIn, printPayment, requireCompleted } from './print_payment.ts'
import { decision, requireAnswerer, senderOptions, withJournal } from './session.ts'

/** Prints what would be sent. */
export async function rehearse(order: Order, flags: SendSettings, context: Context): Promise<void> {
  const options = { ...(await senderOptions(context)), reporter: reporterOf(context), limitsIn: context.configDir }
  const journal = existingJournal(context.stateDir)
  try {
    const validation = await rehearsePayment(order, { ...options, journal, askUncompared: flags.nameUnchecked })
    await context.output.record(validation, validationColumns)
  } finally {
    journal?.close()
  }
}

export async function sendOrder(order: Order, flags: SendSettings, context: Context): Promise<void> {
  requireAnswerer(flags.yes, context)
  await withJournal(context, decision(flags.yes), async (options) => {
    const sent = await sendPayment(order, {
      ...options,
      confirm: !flags.yes,
      askUncompared: flags.nameUnchecked,
    })
    await concerning({ id: sent.intentId }, async () => {
      if (sent.outcome !== 'accepted') throw await withBalance(sent.error, order, context)
      const intent = intentIn(options.journal, sent.intentId)
      if (flags.wait) await printEnd({ ...sent, intent }, flags.waitTimeout, context)
      else await printPayment(sent.payment, intent, context)
    })
  })
}

/** A refusal for want of money, with what the account has. Another error stays as it is, as does one whose account can't be read. */
async function withBalance(error: unknown, { body }: Order, context: Context): Promise<unknown> {
  if (!(error instanceof ApiError) || !/insufficient balance/i.test(error.message)) return error
  try {
    const client = await context.client()
    const { balance } = await client.call('accounts.get', { params: { id: body.source_account_id } })
    if (!balance.formatted) return error
    const message = `${error.message}: the account had ${balance.formatted} at ${zonedTime(new Date().toISOString())}.`
    return new CliError('rejected', message, { kind: 'list_accounts' }, { cause: error })
  } catch {
    return error
  }
}

interface Sent {
  readonly payment: Named<InitiatedPayment>
  readonly intent: Intent | null
}

/**
 * Waits for the end of a payment. stdout gets its last known state; an error on the way never says that nothing was sent.
 * `timeout` is in milliseconds.
 */
async function printEnd({ payment: sent, intent }: Sent, timeout: number, context: Context): Promise<void> {
  const { output, signal } = context
  const client = await context.client('payment')
  let last: Named<InitiatedPayment | Payment> = sent
  let failure: CliError | undefined
  try {
    for await (const payment of statusChanges(sent.id, { client, signal, timeout })) {
      last = payment
      output.note(`Payment ${payment.id} is ${payment.status}`)
    }
  } catch (error) {
    const problem = `its status could not be read: ${error instanceof Error ? error.message : String(error)}`
    failure = signal.aborted
      ? new CliError('interrupted', `Interrupted. Payment ${sent.id} has been sent and goes on.`, {
          kind: 'watch_payment',
          paymentId: sent.id,
        })
      : inProgress(`Payment ${sent.id} has been sent, but ${problem}`, sent.id)
  }
  await printPayment(last, intent, context)
  if (failure) throw failure
  requireCompleted(last)
}
