import type { Client } from '../../client/client.ts'
import { ApiError, OutcomeUnknownError } from '../../client/errors.ts'
import type { InitiatedPayment, Payment } from '../../contract/index.ts'
import { type Intent, mayHavePaid } from '../../journal/intent.ts'
import type { Journal } from '../../journal/journal.ts'
import { CliError } from '../../output/cli_error.ts'
import type { Context } from '../context.ts'
import { reasonOf } from '../reason.ts'
import { findByKey, requirePayer } from './find_by_key.ts'
import { repeatFlags } from './repeat_flags.ts'
import { differenceFrom } from './same_payment.ts'

export interface Desk {
  readonly journal: Journal
  readonly client: Client
  readonly context: Context
  /** Where remarks go; to stderr when it is not said. */
  readonly note?: (text: string) => void
  /**
   * Told of an intent in doubt whose repetition was refused, in place of a search of the history for its payment: who
   * has many searches once for all. The intent stays in doubt until then.
   */
  readonly suspect?: (intent: Intent, refusal: string) => void
  /** Told that the journal could not be updated once a request had left; a remark when it is not given. */
  readonly onJournalFault?: (error: unknown) => void
}

/**
 * Sends an intent's request, the first time or again: its key makes it pay once. Whatever comes of it is in the
 * journal before anybody hears of it. While the outcome is in doubt the run ends with exit 10, whatever the last
 * request met with: any other code would say that nothing happened.
 */
export async function transmit(intent: Intent, desk: Desk): Promise<InitiatedPayment | Payment> {
  const { journal, client } = desk
  markSent(intent, desk)
  try {
    const { data, headers } = await client.answer('payments.create', {
      headers: { 'X-Idempotency-Key': intent.idempotency_key },
      body: intent.body,
    })
    requireNamed(data, intent)
    settle(intent, data, desk)
    if (headers['idempotent-replayed'] === 'true') {
      remark(desk, 'This key had been sent before: this is the payment it made then. Nothing was paid twice.')
    }
    return data
  } catch (error) {
    if (error instanceof OutcomeUnknownError) throw unknown(intent, error, desk)
    const status = record(desk, () =>
      error instanceof ApiError && !concernsSender(error)
        ? journal.markRejected(intent.id, error.message)
        : journal.markUnsent(intent.id, messageOf(error)),
    )
    if (status !== 'unknown') throw error
    return await investigate(intent, error, desk)
  }
}

/** A journal that can't be written to keeps a request from leaving; what an earlier one did stays in doubt. */
function markSent(intent: Intent, desk: Desk): void {
  try {
    desk.journal.markSent(intent.id)
  } catch (error) {
    throw mayHavePaid(intent.status) ? unknown(intent, error, desk) : error
  }
}

/** Only an answer that names the payment asked for says that it was made. */
function requireNamed(data: InitiatedPayment | Payment, intent: Intent): void {
  if (typeof data?.id !== 'string' || data.id === '') {
    throw new OutcomeUnknownError(undefined, 'the answer names no payment', data)
  }
  const difference = differenceFrom(intent, data)
  if (difference === undefined) return
  throw new OutcomeUnknownError(undefined, `the service answered with another payment, ${data.id}: ${difference}`, data)
}

function settle({ id }: Intent, payment: InitiatedPayment | Payment, desk: Desk): void {
  const status = typeof payment.status === 'string' ? payment.status : 'pending' // it was accepted
  record(desk, () => desk.journal.markSettled(id, { id: payment.id, status }))
}

/**
 * An earlier request is in doubt and this one failed, which tells nothing of the earlier one: a refusal may come from
 * what that did (the balance is gone). The history knows whether it made a payment.
 */
async function investigate(intent: Intent, error: unknown, desk: Desk): Promise<Payment> {
  const { journal, client } = desk
  const refused = error instanceof ApiError && (error.status === 400 || error.status === 422)
  if (!refused) throw unknown(intent, error, desk)
  if (desk.suspect) {
    desk.suspect(intent, error.message)
    throw unknown(intent, error, desk)
  }
  try {
    const payment = await findByKey(intent, client)
    if (payment) {
      requireNamed(payment, intent)
      settle(intent, payment, desk)
      return payment
    }
    await requirePayer(intent, client)
  } catch (failure) {
    throw unknown(intent, failure, desk)
  }
  record(desk, () => journal.markAbsent(intent.id, error.message))
  throw error
}

/** The service does not know or not hear who sends: it says nothing of the payment, which can be sent later as it is. */
const concernsSender = ({ status }: ApiError): boolean => status === 401 || status === 403 || status === 429

function unknown(intent: Intent, cause: unknown, desk: Desk): CliError {
  const reason = cause instanceof OutcomeUnknownError ? cause.reason : reasonOf(cause)
  record(desk, () => desk.journal.markUnknown(intent.id, reason))
  const error = new CliError(
    'outcome_unknown',
    `The outcome of the payment is unknown, money may have moved: ${reason}. Sent anew it could be paid twice.`,
    `payctl payments resume ${intent.id}${repeatFlags(desk.context.globals)}`,
  )
  error.cause = cause
  return error
}

/** Once the request has left, the payment matters more than the journal, which already says that it was sent. */
function record<T>(desk: Desk, write: () => T): T | undefined {
  try {
    return write()
  } catch (error) {
    if (desk.onJournalFault) desk.onJournalFault(error)
    else remark(desk, `The payment journal could not be updated: ${messageOf(error)}`)
    return undefined
  }
}

const remark = ({ note, context }: Desk, text: string): void => (note ? note(text) : context.output.note(text))

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
