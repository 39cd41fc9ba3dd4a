/**
 * The library face of payctl: a typed client of the service, and payments that are sent safely.
 *
 * A payment is written to a journal on disk before its request leaves. When an answer is lost, the outcome is `unknown`.
 * Resuming looks for the payment in the history, and repeats its key only as long as the service is trusted to remember it.
 */
import type { Client } from './client/client.ts'
import { IntentError, UsageError } from './errors/cli_error.ts'
import { type Intent, standIn } from './journal/intent.ts'
import type { Journal } from './journal/journal.ts'
import { payBatch as payRows } from './payments/batch.ts'
import { checkedOrder, stageRows, withCheckedRows } from './payments/batch_checks.ts'
import type { ResultRow } from './payments/batch_result.ts'
import type { PaymentRequest } from './payments/order.ts'
import type { PaymentOptions, PaymentOutcome } from './payments/payment_session.ts'
import { type BatchRow, checkBatch } from './payments/request.ts'
import { resumePayments as resumeAll, resumePayment as resumeOne } from './payments/resume.ts'
import { sendPayment as sendOrder } from './payments/send.ts'
import { silent } from './run/reporter.ts'

export * from './client/index.ts'
export { CliError, UsageError } from './errors/cli_error.ts'
export type { NextStep } from './errors/next_step.ts'
export type { Intent, IntentFilter, IntentStatus, Principal } from './journal/intent.ts'
export { type Journal, openJournal } from './journal/journal.ts'
export type { ResultRow } from './payments/batch_result.ts'
export type { PaymentRequest } from './payments/order.ts'
export type { PaymentOutcome } from './payments/payment_session.ts'
export type { BatchRow } from './payments/request.ts'
export { verifyDelivery } from './webhooks/verify_delivery.ts'

/** Who sends, and where it is written down. */
export interface PaymentSettings {
  readonly client: Client
  /** Open one and keep it: several processes may use the same. */
  readonly journal: Journal
  /**
   * Stands for the user where the token may not read who that is (scope read-user). It must always be the same for the
   * same user and different for another: a key repeated by another user pays again.
   */
  readonly user?: string | undefined
  /** Asks to stop: once it is aborted no payment leaves. The answer to one that has left is waited for, in a batch 5 s at most. */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds for which the service is trusted to remember an idempotency key; a day by default. A payment in doubt for
   * longer, which the history does not have, stays `unknown`: sent again, it could be paid twice.
   */
  readonly keyLife?: number | undefined
  /** Hears what a person may want to know. */
  readonly onRemark?: ((text: string) => void) | undefined
}

function optionsOf(settings: PaymentSettings): PaymentOptions {
  const { client, journal, user, signal, keyLife, onRemark } = settings ?? {}
  if (!client || !journal) throw new UsageError('A client and a journal must be given.')
  if (user !== undefined && (typeof user !== 'string' || user === '')) {
    throw new UsageError('user must be a text that is not empty, or left out.')
  }
  if (keyLife !== undefined && !(Number.isFinite(keyLife) && keyLife >= 0)) {
    throw new UsageError('keyLife must be a number of milliseconds, 0 or more.')
  }
  return {
    client,
    journal,
    keyLife,
    ...(user !== undefined && { holder: async () => standIn('login', user) }),
    ...(signal && { signal }),
    ...(onRemark && { reporter: { ...silent, remark: onRemark } }),
  }
}

/**
 * Sends one payment. Its intent is on disk before its request leaves. Throws only what kept it from being written down:
 * UsageError for values that can't be sent, CliError for a journal that can't be used, and what asking the service who
 * sends met with (ApiError, NetworkError). From then on whatever happens is the outcome.
 */
export const sendPayment = (request: PaymentRequest, settings: PaymentSettings): Promise<PaymentOutcome> =>
  causesOf(async () => {
    const options = optionsOf(settings)
    return sendOrder(await checkedOrder(request, options.client), options)
  })

/**
 * Finds out what became of one intent, or sends it if the service has not taken it. Throws CliError for an intent that is not there,
 * is another user's, or was refused, and what asking the service before it is sent met with (ApiError, NetworkError).
 */
export const resumePayment = (intentId: string, settings: PaymentSettings): Promise<PaymentOutcome> =>
  causesOf(async () => {
    if (typeof intentId !== 'string') throw new UsageError('The id of an intent must be a text.')
    return resumeOne(intentId, optionsOf(settings))
  })

/** Throws what went wrong itself, for a program to tell by its class. The intent that it concerns is the caller's own. */
async function causesOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof IntentError ? error.cause : error
  }
}

/** Intents that were in doubt, as the journal has them now. */
export interface ResumedPayments {
  /** The service has the payment. */
  readonly settled: readonly Intent[]
  /** The service refused it; no money moved. */
  readonly rejected: readonly Intent[]
  /** Still not known: money may have moved. Resume again later. After an abort those that are left are here as well. */
  readonly unknown: readonly Intent[]
  /** Of intents that may be another user's and were left alone, if there are any. */
  readonly leftOut: Error | undefined
}

/**
 * Finds out the result of every payment of this user whose outcome is unknown: each is looked for in the history. One that
 * is not there is repeated with its own key, if that is not older than `keyLife`. To be called when a program starts, and
 * again while something is unknown. Throws CliError for a journal that can't be used, and what asking the service who sends
 * met with.
 */
export async function resumePayments(settings: PaymentSettings): Promise<ResumedPayments> {
  const intents: Intent[] = []
  const write = async (resumed: AsyncIterable<Intent>) => {
    for await (const intent of resumed) intents.push(intent)
  }
  const report = await resumeAll({ ...optionsOf(settings), write })
  if (report?.writeError !== undefined) throw report.writeError // intents that could not be read are missing
  const {
    settled = [],
    rejected = [],
    unknown = [],
  } = Object.groupBy(intents, ({ status }) => (status === 'settled' || status === 'rejected' ? status : 'unknown'))
  return { settled, rejected, unknown, leftOut: report?.unclear }
}

export interface BatchSettings extends PaymentSettings {
  /** Rows are paid once under it. Without one, a row that asks for the same payment as one sent before is that one. */
  readonly batchId?: string | undefined
  /** Leave out rows that were sent with another batch of these rows. Without it, or a `batchId`, such rows are refused. */
  readonly skipSent?: boolean | undefined
  /** Look every payee up before anything is sent. */
  readonly checkPayees?: boolean | undefined
  /** Requests under way at a time; 4 by default. */
  readonly concurrency?: number | undefined
  /** Hears what became of each row as soon as it is known; its `line` is its number, from 1. */
  readonly onRow?: ((row: ResultRow) => void | Promise<void>) | undefined
}

/** How many rows ended how. */
export interface BatchResult {
  /** For `payctl payments intents --batch`. */
  readonly batch: string
  readonly total: number
  /** Rows whose payment the service has; the following three are among them. */
  readonly sent: number
  readonly completed: number
  readonly inProgress: number
  readonly unsuccessful: number
  /** The service refused them; no money moved. */
  readonly rejected: number
  /** Money may have moved. Pay the same rows again to find out: the history is read first, old keys are not repeated. */
  readonly unknown: number
  readonly notSent: number
  /** Why rows were left out, if they were. */
  readonly failure: unknown
}

/**
 * Pays rows. Called with the same rows again, it sends none that was sent, as long as the journal is the same. A row in doubt
 * is looked for in the history, and repeated with its own key if that is not older than `keyLife`; else it stays `unknown`.
 * All rows are checked, and their intents on disk, before the first request leaves. Throws UsageError that names every row
 * that is wrong (`errors`), and what keeps the batch from being begun; from then on whatever happens is in the result.
 */
export async function payBatch(rows: Iterable<BatchRow>, settings: BatchSettings): Promise<BatchResult> {
  const options = optionsOf(settings)
  const { client, batchId, skipSent, concurrency = 4, onRow } = settings
  checkBatch({ batchId, concurrency })
  if (typeof rows?.[Symbol.iterator] !== 'function') throw new UsageError('rows must be a list of objects.')
  const { checkPayees } = settings
  const report = await withCheckedRows(
    { client, stage: async (staged, accounts) => stageRows(rows, staged, accounts), concurrency, checkPayees },
    (checked) =>
      payRows(checked, {
        ...options,
        batchId,
        skipSent,
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
