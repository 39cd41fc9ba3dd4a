import type { Client } from '../../client/client.ts'
import type { InitiatedPayment, Payment } from '../../contract/index.ts'
import { type Intent, isSamePayment, mayHavePaid } from '../../journal/intent.ts'
import { openJournal } from '../../journal/open.ts'
import { CliError, concerning, IntentError, UsageError } from '../../output/cli_error.ts'
import type { Context } from '../context.ts'
import { validationColumns } from './columns.ts'
import { requireYes } from './confirm.ts'
import { type Order, parseOrder, type SendFlags } from './payment_flags.ts'
import { describeOrder, previewOrder, questionOf } from './preview.ts'
import { repeatFlags } from './repeat_flags.ts'
import { tellPayment } from './tell.ts'
import { type Desk, outcomeOf } from './transmit.ts'
import { requireCompleted, statusChanges } from './wait.ts'

export async function sendPayment(flags: SendFlags, context: Context): Promise<void> {
  const order = parseOrder(flags)
  if (flags.dryRun) return rehearse(order, context)
  if (!flags.yes && !context.interactive) {
    throw new UsageError(
      'This sends money, and there is no terminal to ask on. Nothing was sent.',
      'Add --yes to send without being asked, or --dry-run to see what would happen',
    )
  }
  const client = await context.client('payment')
  const journal = openJournal(context.stateDir)
  try {
    const desk = { journal, client, context }
    const intent = await commit(order, flags, desk)
    await concerning(intent, async () => {
      const payment = await outcomeOf(intent, desk)
      await (flags.wait ? follow(payment, flags, desk) : tellPayment(payment, context))
    })
  } finally {
    journal.close()
  }
}

async function rehearse(order: Order, context: Context): Promise<void> {
  const preview = await previewOrder(order, await context.client())
  for (const line of describeOrder(order, preview)) context.output.note(line)
  if (!preview.validation) throw alreadyPaid(order)
  await context.output.record(preview.validation, validationColumns)
}

/** What is to be sent, agreed to and on disk. */
async function commit(order: Order, { yes }: SendFlags, { journal, client, context }: Desk): Promise<Intent> {
  const { profile, baseUrl } = await context.target()
  const known = journal.withKey(baseUrl, order.key)
  if (known) requireSamePayment(known, order)
  if (known && mayHavePaid(known.status)) {
    context.output.note('This payment was sent before with this key: finding out what became of it.')
  } else if (!yes) {
    await agree(order, client, context)
  }
  const intent = journal.prepare({ profile, base_url: baseUrl, idempotency_key: order.key, body: order.body })
  requireSamePayment(intent, order)
  return intent
}

async function agree(order: Order, client: Client, context: Context): Promise<void> {
  const preview = await previewOrder(order, client)
  for (const line of describeOrder(order, preview)) context.output.note(line)
  if (!preview.validation) throw alreadyPaid(order)
  await requireYes(questionOf(order, preview), context)
}

function requireSamePayment(intent: Intent, { body }: Order): void {
  if (isSamePayment(intent.body, body)) return
  const { amount, recipient_iban, recipient_phone } = intent.body
  const conflict = new UsageError(
    `The idempotency key ${intent.idempotency_key} belongs to another payment: ${amount} minor units to ${recipient_iban ?? recipient_phone} (${intent.id}). Nothing was sent.`,
    'Use another key, or leave --idempotency-key out',
  )
  throw new IntentError(intent.id, conflict)
}

const alreadyPaid = ({ key }: Order): CliError =>
  new CliError(
    'conflict',
    `The service has a payment with the idempotency key ${key} already. Nothing was sent.`,
    'Find it with: payctl payments history. To pay once more, use another key',
  )

/**
 * Waits for the end of a payment that is on its way. stdout gets the last that is known of it, and no failure on the
 * way may look as if nothing had been sent.
 */
async function follow(sent: InitiatedPayment, flags: SendFlags, { client, context }: Desk): Promise<void> {
  const { output, signal } = context
  const watching = `payctl payments watch ${sent.id}${repeatFlags(context.globals)}`
  let last: InitiatedPayment | Payment = sent
  let failure: CliError | undefined
  try {
    for await (const payment of statusChanges(sent.id, { client, signal, timeout: flags.waitTimeout })) {
      last = payment
      output.note(`Payment ${payment.id} is ${payment.status}`)
    }
  } catch (error) {
    failure = signal.aborted
      ? new CliError('interrupted', `Interrupted. Payment ${sent.id} has been sent and goes on.`, watching)
      : new CliError('payment_in_progress', `Payment ${sent.id} has been sent, but ${problem(error)}`, watching)
  }
  await tellPayment(last, context)
  if (failure) throw failure
  requireCompleted(last, watching)
}

const problem = (error: unknown): string =>
  `its status could not be read: ${error instanceof Error ? error.message : String(error)}`
