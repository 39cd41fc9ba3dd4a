import type { Context } from '../commands/context.ts'
import { validationColumns } from '../commands/payments/columns.ts'
import { type Order, parseOrder, type SendFlags } from '../commands/payments/payment_flags.ts'
import { tellPayment } from '../commands/payments/print_payment.ts'
import { repeatFlags } from '../commands/payments/repeat_flags.ts'
import type { InitiatedPayment, Payment } from '../contract/index.ts'
import { CliError, concerning, IntentError, UsageError } from '../errors/cli_error.ts'
import { type Intent, isSamePayment, mayHavePaid } from '../journal/intent.ts'
import { openJournal } from '../journal/open.ts'
import { agree, alreadyPaid, requireAnswerer } from './agree.ts'
import { claimFound, isInDoubt, isUnclear, unclearDoubt } from './ownership.ts'
import { type Desk, outcomeOf } from './payment_session.ts'
import { describeOrder, previewOrder } from './preview.ts'
import { learnSender, placeOf } from './sender.ts'
import { requireCompleted, statusChanges } from './wait.ts'

export async function sendPayment(flags: SendFlags, context: Context): Promise<void> {
  const order = parseOrder(flags)
  if (flags.dryRun) return rehearse(order, context)
  requireAnswerer(flags.yes, context)
  const client = await context.client('payment')
  const journal = openJournal(context.stateDir)
  try {
    const desk = { journal, client, context, sender: await learnSender(context) }
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
  const client = await context.client()
  const sender = await learnSender(context)
  const preview = await previewOrder(order, client)
  for (const line of describeOrder(order, preview, placeOf(sender))) context.output.note(line)
  if (!preview.validation) throw alreadyPaid(order)
  await context.output.record(preview.validation, validationColumns)
}

/** What is to be sent, agreed to and on disk. */
async function commit(order: Order, { yes }: SendFlags, desk: Desk): Promise<Intent> {
  const { journal, sender, context } = desk
  const known = await sentBefore(order, desk)
  if (known) requireSamePayment(known, order)
  if (known && mayHavePaid(known.status)) {
    const place = placeOf(sender)
    context.output.note(`This payment was sent before with this key: finding out what became of it ${place}.`)
  } else {
    await agree(order, yes, desk)
  }
  const { profile, base_url, user, world } = sender
  const intent = journal.prepare({ profile, base_url, user, world, idempotency_key: order.key, body: order.body })
  requireSamePayment(intent, order)
  return intent
}

/** The sender's own with this key. Whoever has used it elsewhere, or as somebody else, has made another payment. */
async function sentBefore({ key }: Order, desk: Desk): Promise<Intent | undefined> {
  const { journal, sender } = desk
  const own = journal.withKey(sender, key)
  if (own) return own
  const unclear = journal
    .sameKey(sender.base_url, key)
    .filter((intent) => isUnclear(intent, desk) && mayHavePaid(intent.status))
  await claimFound(unclear, desk)
  const found = journal.withKey(sender, key)
  const doubtful = unclear.filter(isInDoubt)
  if (!found && doubtful.length > 0) throw unclearDoubt(doubtful, `A payment with the key ${key}`, desk)
  return found
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
