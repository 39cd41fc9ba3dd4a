import type { Answer, Client } from '../client/client.ts'
import { originalOf } from '../client/decode.ts'
import type { Context } from '../commands/context.ts'
import { repeatFlags } from '../commands/payments/repeat_flags.ts'
import type { InitiatedPayment, Payment } from '../contract/index.ts'
import { CliError } from '../errors/cli_error.ts'
import { reasonOf } from '../errors/reason.ts'
import { ApiError, OutcomeUnknownError } from '../errors/service_errors.ts'
import { type Intent, mayHavePaid } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { findByKey, requirePayer } from './find_by_key.ts'
import { differenceFrom } from './same_payment.ts'
import { movedAway, type Sender, worldMoved } from './sender.ts'

export interface Desk {
  readonly journal: Journal
  readonly client: Client
  readonly context: Context
  readonly sender: Sender
  /** Where remarks go; to stderr when it is not said. */
  readonly note?: (text: string) => void
  /**
   * Told of an intent in doubt whose repetition did not make a payment, in place of a search of the history for the one
   * of the earlier request: who has many searches once for all. The intent stays in doubt until then. With the words of a
   * refusal, there is no payment if the history has none; without, the history can only say yes.
   */
  readonly suspect?: (intent: Intent, refusal: string | undefined) => void
  /** Told that the journal could not be updated once a request had left; a remark when it is not given. */
  readonly onJournalFault?: (error: unknown) => void
}

/** The payment of an intent: read, when it is known to have been made; else sent, or found. */
export async function outcomeOf(intent: Intent, desk: Desk): Promise<InitiatedPayment> {
  if (intent.payment_id === null) return await transmit(intent, desk)
  try {
    const payment = await desk.client.call('payments.get', { params: { id: intent.payment_id } })
    return asSent({ ...payment, id: intent.payment_id }, intent)
  } catch (error) {
    if (desk.context.signal.aborted) throw error
    throw new CliError(
      'outcome_unknown',
      `Payment ${intent.payment_id} has been sent with this key, but it can't be read: ${reasonOf(error)}.`,
      `payctl payments get ${intent.payment_id}${repeatFlags(desk.context.globals)}`,
    )
  }
}

/**
 * Sends an intent's request, the first time or again: its key makes it pay once. Whatever comes of it is in the
 * journal before anybody hears of it. While the outcome is in doubt the run ends with exit 10, whatever the last
 * request met with: any other code would say that nothing happened.
 */
export async function transmit(intent: Intent, desk: Desk): Promise<InitiatedPayment> {
  const { sender } = desk
  if (sender.hasMoved) throw mayHavePaid(intent.status) ? unknown(intent, moved(), desk) : movedAway()
  markSent(intent, desk)
  let answer: Answer<InitiatedPayment>
  try {
    const headers = { 'X-Idempotency-Key': intent.idempotency_key }
    answer = await desk.client.answer('payments.create', { headers, body: intent.body })
  } catch (error) {
    return await unpaid(intent, error, desk)
  }
  return accept(intent, answer, desk)
}

function accept(intent: Intent, { data, headers }: Answer<InitiatedPayment>, desk: Desk): InitiatedPayment {
  try {
    requireWorld(desk)
    requireNamed(data, intent)
  } catch (error) {
    throw unknown(intent, error, desk)
  }
  settle(intent, data, desk)
  if (headers['idempotent-replayed'] === 'true') {
    remark(desk, 'This key had been sent before: this is the payment it made then. Nothing was paid twice.')
  }
  return data
}

/** The service has not named a payment. Throws what that means, unless the history has one. */
async function unpaid(intent: Intent, error: unknown, desk: Desk): Promise<InitiatedPayment> {
  if (desk.sender.hasMoved) throw unknown(intent, moved(error), desk)
  if (error instanceof OutcomeUnknownError) return await investigate(intent, error, desk)
  const { journal } = desk
  const status = record(desk, () =>
    error instanceof ApiError && !concernsSender(error)
      ? journal.markRejected(intent.id, error.message)
      : journal.markUnsent(intent.id, messageOf(error)),
  )
  if (status !== 'unknown') throw error
  return await investigate(intent, error, desk)
}

/** A journal that can't be written to keeps a request from leaving; what an earlier one did stays in doubt. */
function markSent(intent: Intent, desk: Desk): void {
  try {
    desk.journal.markSent(intent.id)
  } catch (error) {
    throw mayHavePaid(intent.status) ? unknown(intent, error, desk) : error
  }
}

/** What another world's books say of a payment is nothing about this one. */
function requireWorld({ sender }: Desk): void {
  if (sender.hasMoved) throw moved()
}

const moved = (cause?: unknown): OutcomeUnknownError => new OutcomeUnknownError(undefined, worldMoved, cause)

/** Only an answer that names the payment asked for says that it was made. */
function requireNamed(payment: InitiatedPayment | Payment, intent: Intent): void {
  // Judged as the service sent it: nothing of it was mended on the way.
  const data = originalOf(payment) as typeof payment | null
  if (typeof data?.id !== 'string' || data.id === '') {
    throw new OutcomeUnknownError(undefined, 'the answer names no payment', data)
  }
  const difference = differenceFrom(intent, data)
  if (difference === undefined) return
  throw new OutcomeUnknownError(undefined, `the service answered with another payment, ${data.id}: ${difference}`, data)
}

function settle({ id }: Intent, payment: InitiatedPayment | Payment, desk: Desk): void {
  const status = payment.status || 'pending' // it was accepted
  record(desk, () => desk.journal.markSettled(id, { id: payment.id, status }))
}

/**
 * This request made no payment that is known, and it or an earlier one is in doubt. A refusal of a repetition tells
 * nothing of the earlier request: it may come from what that did (the balance is gone). The history knows, and what it
 * has was paid. That it has nothing settles the matter only when the service has refused as well: what is still being
 * processed is in no history yet.
 */
async function investigate(intent: Intent, error: unknown, desk: Desk): Promise<InitiatedPayment> {
  const { journal, client } = desk
  const answer = error instanceof OutcomeUnknownError ? error.cause : error
  const saysSomething = answer instanceof ApiError && !concernsSender(answer) && answer.status < 500
  if (!saysSomething) throw unknown(intent, error, desk)
  const refusal = error instanceof ApiError ? error.message : undefined
  if (refusal === undefined && !mayHavePaid(intent.status)) throw unknown(intent, error, desk)
  if (desk.suspect) {
    desk.suspect(intent, refusal)
    throw unknown(intent, error, desk)
  }
  try {
    const payment = await findByKey(intent, client)
    requireWorld(desk)
    if (payment) {
      requireNamed(payment, intent)
      settle(intent, payment, desk)
      return asSent(payment, intent)
    }
    if (refusal !== undefined) await requirePayer(intent, client)
    requireWorld(desk)
  } catch (failure) {
    throw unknown(intent, failure, desk)
  }
  if (refusal === undefined) throw unknown(intent, error, desk)
  record(desk, () => journal.markAbsent(intent.id, refusal))
  throw error
}

/** A payment that was read back, in the form in which the service answers the request that made it. */
const asSent = (payment: Payment, { body }: Pick<Intent, 'body'>): InitiatedPayment => ({
  id: payment.id,
  channel: payment.channel,
  status: payment.status,
  channel_reference: payment.channel_reference,
  idempotency_key: payment.idempotency_key,
  source_account_id: body.source_account_id,
  recipient_iban: body.recipient_iban ?? null,
  recipient_phone: body.recipient_phone ?? null,
  amount: payment.amount,
  description: payment.description ?? '',
})

/** The service does not know or not hear who sends: it says nothing of the payment, which can be sent later as it is. */
const concernsSender = ({ status }: ApiError): boolean => status === 401 || status === 403 || status === 429

function unknown(intent: Intent, cause: unknown, desk: Desk): CliError {
  const reason = cause instanceof OutcomeUnknownError ? cause.reason : reasonOf(cause)
  record(desk, () => desk.journal.markUnknown(intent.id, reason))
  const error = new CliError(
    'outcome_unknown',
    `The outcome of the payment is unknown, money may have moved: ${reason}. Sent anew it could be paid twice.`,
    desk.sender.hasMoved
      ? `See what the world that is there now has of it: payctl payments history${repeatFlags(desk.context.globals)}`
      : `payctl payments resume ${intent.id}${repeatFlags(desk.context.globals)}`,
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
