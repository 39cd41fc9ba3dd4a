import type { Client } from '../../client/client.ts'
import { ApiError, OutcomeUnknownError } from '../../client/errors.ts'
import type { InitiatedPayment, Payment } from '../../contract/index.ts'
import type { Intent } from '../../journal/intent.ts'
import type { Journal } from '../../journal/journal.ts'
import { CliError } from '../../output/cli_error.ts'
import type { Context } from '../context.ts'
import { findByKey } from './find_by_key.ts'
import { repeatFlags } from './repeat_flags.ts'

export interface Desk {
  readonly journal: Journal
  readonly client: Client
  readonly context: Context
}

/**
 * Sends an intent's request, the first time or again: its key makes it pay once. Whatever comes of it is in the
 * journal before anybody hears of it. While the outcome is in doubt the run ends with exit 10, whatever the last
 * request met with: any other code would say that nothing happened.
 */
export async function transmit(intent: Intent, desk: Desk): Promise<InitiatedPayment | Payment> {
  const { journal, client, context } = desk
  journal.markSent(intent.id)
  try {
    const { data, headers } = await client.answer('payments.create', {
      headers: { 'X-Idempotency-Key': intent.idempotency_key },
      body: intent.body,
    })
    if (typeof data?.id !== 'string') throw new OutcomeUnknownError(undefined, 'the answer names no payment', data)
    record(desk, () => journal.markSettled(intent.id, data))
    if (headers['idempotent-replayed'] === 'true') {
      context.output.note('This key had been sent before: this is the payment it made then. Nothing was paid twice.')
    }
    return data
  } catch (error) {
    if (error instanceof OutcomeUnknownError) throw unknown(intent, error.reason, desk)
    const status = record(desk, () =>
      error instanceof ApiError
        ? journal.markRejected(intent.id, error.message)
        : journal.markUnsent(intent.id, messageOf(error)),
    )
    if (status !== 'unknown') throw error
    return await investigate(intent, error, desk)
  }
}

/**
 * An earlier request is in doubt and this one failed, which tells nothing of the earlier one: a refusal may come from
 * what that did (the balance is gone). The history knows whether it made a payment.
 */
async function investigate(intent: Intent, error: unknown, desk: Desk): Promise<Payment> {
  const { journal, client } = desk
  const refused = error instanceof ApiError && (error.status === 400 || error.status === 422)
  if (!refused) throw unknown(intent, messageOf(error), desk)
  const payment = await findByKey(intent, client).catch((failure: unknown) => {
    throw unknown(intent, messageOf(failure), desk)
  })
  if (payment) {
    record(desk, () => journal.markSettled(intent.id, payment))
    return payment
  }
  record(desk, () => journal.markAbsent(intent.id, error.message))
  throw error
}

function unknown(intent: Intent, reason: string, desk: Desk): CliError {
  record(desk, () => desk.journal.markUnknown(intent.id, reason))
  return new CliError(
    'outcome_unknown',
    `The outcome of the payment is unknown, money may have moved: ${reason}. Sent anew it could be paid twice.`,
    `payctl payments resume ${intent.id}${repeatFlags(desk.context.globals)}`,
  )
}

/** Once the request has left, the payment matters more than the journal, which already says that it was sent. */
function record<T>({ context }: Desk, write: () => T): T | undefined {
  try {
    return write()
  } catch (error) {
    context.output.note(`The payment journal could not be updated: ${messageOf(error)}`)
    return undefined
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
