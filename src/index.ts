/**
 * The library interface of payctl: a typed client of the service, and safe sending of payments.
 *
 * A payment is written to a journal on disk before its request is sent. If the answer is lost, the outcome is
 * `unknown`. A resume looks for the payment in the history, and repeats the payment's key only as long as the service
 * is trusted to remember the key.
 */
import type { Client } from './client/client.ts'
import { IntentError, UsageError } from './errors/cli_error.ts'
import { type Intent, surrogateId } from './journal/intent.ts'
import type { Journal } from './journal/journal.ts'
import type { ResultRow } from './payments/batch_result.ts'
import { withCheckedRows } from './payments/checked_rows.ts'
import { payBatch as payRows } from './payments/pay_batch.ts'
import type { PaymentOutcome } from './payments/payment_outcome.ts'
import type { PaymentOptions } from './payments/payment_session.ts'
import { type BatchRow, checkBatch, checkedRequest, type PaymentRequest, stageRows } from './payments/request.ts'
import { resumePayments as resumeAll, resumePayment as resumeOne } from './payments/resume.ts'
import { sendPayment as sendOrder } from './payments/send.ts'
import { silent } from './run/reporter.ts'
import type { Said } from './words/text.ts'

export * from './client/index.ts'
export { verifyDelivery } from './contract/signatures.ts'
export { CliError, UsageError } from './errors/cli_error.ts'
export type { NextStep } from './errors/next_step.ts'
export type { Intent, IntentFilter, IntentStatus, Principal } from './journal/intent.ts'
export { type Journal, openJournal } from './journal/journal.ts'
export type { ResultRow } from './payments/batch_result.ts'
export type { PaymentOutcome } from './payments/payment_outcome.ts'
export type { BatchRow, PaymentRequest } from './payments/request.ts'

/** Client and journal of payments, and settings for sending them. */
export interface PaymentSettings {
  readonly client: Client
  /** Open a journal once and keep it open. Several processes may use the same journal. */
  readonly journal: Journal
  /**
   * Identifies the user if the token is not allowed to read who the user is (scope read-user). The text must always be
   * the same for the same user and different for any other user: a key repeated by another user pays again.
   */
  readonly user?: string | undefined
  /**
   * Asks to stop: after an abort no payment is sent. payctl still waits for the answers to requests already sent; in
   * a batch, it waits for at most 5 s.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds for which the service is trusted to remember an idempotency key; default: a day. A payment in doubt
   * that the history does not contain is sent again only until ten minutes before the end of this time, because a
   * request can take ten minutes to arrive. After that the payment stays `unknown`: sending it again could pay twice.
   */
  readonly keyLife?: number | undefined
  /** Called with notes for a person. */
  readonly onRemark?: ((text: string) => void) | undefined
}

function optionsOf(settings: PaymentSettings): PaymentOptions {
  const { client, journal, user, signal, keyLife, onRemark } = settings ?? {}
  if (!client || !journal) throw new UsageError('A client and a journal must be given.')
  if (user !== undefined && (typeof user !== 'string' || user === '')) {
    throw new UsageError('user must be a non-empty string, or absent.')
  }
  if (keyLife !== undefined && !(Number.isFinite(keyLife) && keyLife >= 0)) {
    throw new UsageError('keyLife must be a number of milliseconds, 0 or more.')
  }
  const tell = (text: Said) => onRemark?.(String(text))
  return {
    client,
    journal,
    keyLife,
    ...(user !== undefined && { holder: async () => surrogateId('login', user) }),
    ...(signal && { signal }),
    ...(onRemark && { reporter: { ...silent, remark: tell, fact: tell } }),
  }
}

/**
 * Sends one payment. The payment's intent is on disk before its request is sent. Throws if the intent can't be
 * recorded: UsageError for values that can't be sent or a key that belongs to another payment, CliError for another
 * holder or a journal that can't be used, ApiError or NetworkError from looking up the user, the holder or the account.
 * After that, every result is returned as the outcome. Exception: an abort while an earlier payment with this key is
 * read throws the abort's reason.
 */
export const sendPayment = (request: PaymentRequest, settings: PaymentSettings): Promise<PaymentOutcome> =>
  causesOf(async () => {
    const options = optionsOf(settings)
    const { order, readCurrency } = checkedRequest(request, options.client)
    return sendOrder(order, { ...options, readCurrency })
  })

/**
 * Finds the outcome of one intent, or sends the payment if the service has not accepted it. Throws CliError for an
 * intent that does not exist, may belong to another user, was refused, or requires another holder; ApiError or
 * NetworkError from requests made before the payment is sent.
 */
export const resumePayment = (intentId: string, settings: PaymentSettings): Promise<PaymentOutcome> =>
  causesOf(async () => {
    if (typeof intentId !== 'string') throw new UsageError('The id of an intent must be a string.')
    return resumeOne(intentId, optionsOf(settings))
  })

/**
 * Throws the cause of an IntentError, so that a program can check the class of the cause: the caller already knows the
 * intent.
 */
async function causesOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof IntentError ? error.cause : error
  }
}

/** Intents that were in doubt, with their present state in the journal. */
export interface ResumedPayments {
  /** Intents whose payment the service has accepted. */
  readonly settled: readonly Intent[]
  /** Intents that the service refused; no money moved. */
  readonly rejected: readonly Intent[]
  /**
   * Intents whose outcome is still unknown: money may have moved. Resume again later. Includes intents that an abort
   * left open.
   */
  readonly unknown: readonly Intent[]
  /** Error that names the intents left alone because they may belong to another user; undefined if there are none. */
  readonly leftOut: Error | undefined
}

/**
 * Resolves every payment of this user whose outcome is unknown: searches the history for it. If a payment is not in the
 * history, sends it again with its own key, unless less than ten minutes of `keyLife` are left. Call this function when
 * a program starts, and again while the outcome of a payment is unknown. Throws CliError for a journal that can't be
 * used; ApiError or NetworkError from requests made before any payment is sent.
 */
export async function resumePayments(settings: PaymentSettings): Promise<ResumedPayments> {
  const intents: Intent[] = []
  const write = async (resumed: AsyncIterable<Intent>) => {
    for await (const intent of resumed) intents.push(intent)
  }
  const report = await resumeAll({ ...optionsOf(settings), write })
  if (report?.writeError !== undefined) throw report.writeError // the error of a journal that could not be read
  const {
    settled = [],
    rejected = [],
    unknown = [],
  } = Object.groupBy(intents, ({ status }) => (status === 'settled' || status === 'rejected' ? status : 'unknown'))
  return { settled, rejected, unknown, leftOut: report?.unclear }
}

export interface BatchSettings extends PaymentSettings {
  /**
   * Pays each row once under this id. Without an id, a row that equals a row of an earlier call is the same payment.
   * Equal rows of one call are separate payments.
   */
  readonly batchId?: string | undefined
  /**
   * Leaves out rows that an earlier call sent in another batch. Without this option and without a `batchId`, those rows
   * are refused.
   */
  readonly skipSent?: boolean | undefined
  /** Looks up the payee of every row not sent by an earlier run, before this run sends anything. */
  readonly checkPayees?: boolean | undefined
  /** Number of concurrent requests; default: 4. */
  readonly concurrency?: number | undefined
  /** Called with the result of each row as soon as it is known; `line` is the number of the row, from 1. */
  readonly onRow?: ((row: ResultRow) => void | Promise<void>) | undefined
}

/** Result of a batch, with the number of rows for each result. */
export interface BatchResult {
  /** Batch id for `payctl payments outbox --batch`. */
  readonly batch: string
  readonly total: number
  /** Number of rows whose payment the service has accepted; includes the next three counts. */
  readonly sent: number
  readonly completed: number
  readonly inProgress: number
  readonly unsuccessful: number
  /** Number of rows that the service refused; no money moved. */
  readonly rejected: number
  /**
   * Number of rows whose outcome is unknown: money may have moved. To find out, pay the same rows again: that call
   * reads the history first and does not repeat old keys.
   */
  readonly unknown: number
  readonly notSent: number
  /** Reason why rows were not sent; otherwise the error that `onRow` threw, if any. */
  readonly failure: unknown
}

/**
 * Pays rows. A second call with the same rows and the same journal pays no row twice. Searches the history for a row in
 * doubt. If the row is not in the history, sends it again with its own key, unless less than ten minutes of `keyLife`
 * are left: then the row stays `unknown`. Before the first request is sent, all rows are checked and their intents are
 * on disk. Throws a UsageError whose `errors` name every wrong row, and errors that prevent the start of the batch.
 * After that, every result is in the returned value.
 */
export async function payBatch(rows: Iterable<BatchRow>, settings: BatchSettings): Promise<BatchResult> {
  const options = optionsOf(settings)
  const { client, batchId, skipSent, concurrency = 4, onRow } = settings
  checkBatch({ batchId, concurrency })
  if (typeof rows?.[Symbol.iterator] !== 'function') throw new UsageError('rows must be a list of objects.')
  const report = await withCheckedRows(
    { client, batchId, stage: async (staged, accounts) => stageRows(rows, staged, accounts) },
    (checked) =>
      payRows(checked, {
        ...options,
        skipSent,
        checkPayees: settings.checkPayees,
        concurrency,
        connect: async (options) => client.with(options),
        openResults: async () => ({
          async write(results) {
            for await (const row of results) await onRow?.(row)
          },
          async close() {},
        }),
      }),
  )
  const { batch, tally, writeError } = report
  return {
    batch,
    total: tally.total,
    sent: tally.sent,
    completed: tally.of('completed'),
    inProgress: tally.of('in_progress'),
    unsuccessful: tally.of('unsuccessful'),
    rejected: tally.of('rejected'),
    unknown: tally.of('unknown'),
    notSent: tally.unsent,
    failure: report.failure ?? report.stopReason ?? writeError,
  }
}
