import type { Payment } from '../client/received.ts'
import { formatMoney } from '../contract/money.ts'
import { type CliError, UsageError } from '../errors/cli_error.ts'
import { hasFailed, type Intent, inDoubtStatuses, isOpen, mayHavePaid, type NewIntent } from '../journal/intent.ts'
import { foreign, type Said, say } from '../words/text.ts'
import { currencyOf, readAccounts } from './accounts.ts'
import { type BatchPlan, type BatchReport, carryOut, type RunOptions, recordInSlices } from './batch_plan.ts'
import { batchesIn, batchNamed, batchToRetry } from './batches.ts'
import { sumsByCurrency } from './confirmation.ts'
import { joinedByAnd, rowsSaid } from './counted.ts'
import { updateStatuses } from './current_statuses.ts'
import { checkHoldersOf } from './holders.ts'
import { retryKey } from './made_payments.ts'
import { type PaymentSession, withSession } from './payment_session.ts'
import { isStillFailed, isUnsentRepetition, type Statuses } from './repetitions.ts'
import { unknownBatch } from './resume_batch.ts'
import { placeOf, unclearWithKey } from './sender.ts'

// Retries rows of a batch that certainly paid nobody.

interface RetryOptions extends RunOptions {
  /**
   * The batch's name, or `last`; if a person is asked, a unique part of the name is enough. Undefined: the newest batch
   * with failed rows, or else the newest batch.
   */
  readonly batch: string | undefined
}

/**
 * Sends refused rows again with their own keys, and rows with failed payments as new payments. Skips rows in doubt.
 * Throws CliError if there is nothing to send.
 */
export const retryBatch = (options: RetryOptions): Promise<BatchReport> =>
  withSession(options, async (session) => carryOut(await failedRows(options, session), options, session))

/** Selects the rows that were refused, or whose payment has failed. */
async function failedRows(options: RetryOptions, session: PaymentSession): Promise<BatchPlan> {
  const { journal, sender } = session
  const batch = chosenBatch(options, session)
  const found = await findRows(batch, session)
  describe(found, batch, session)
  const { rows } = found
  if (rows.length === 0) throw nothingToRetry(found, batch)
  const accounts = await readAccounts(session.client)
  let ids: readonly string[] = []
  return {
    batch,
    total: rows.length,
    inDoubt: 0,
    accounts,
    check: () => checkHoldersOf(rows, options),
    unsent: () =>
      rows.map((row) => (hasFailed(row) ? { ...row, idempotency_key: retryKey(row.idempotency_key) } : row)),
    async propose() {
      const sums = sumsByCurrency(
        rows.map(({ body: { amount, source_account_id: source } }) => ({
          amount,
          currency: currencyOf(source, accounts),
        })),
      )
      const total = joinedByAnd(sums.map(({ currency, amount }) => formatMoney(amount, currency ?? '').trim()))
      const what = say`${rowsSaid(rows.length)} of batch ${batch} again, ${total}, ${placeOf(sender)}`
      return { question: say`Send ${what}?`, announcement: say`Sending ${what}`, sums }
    },
    async record() {
      const isRecorded = await recordRepetitions(rows, batch, session)
      ids = idsToSend(rows, session)
      return isRecorded
    },
    intents: () => journal.findAll(ids),
    isAgreed: () => true,
  }
}

function chosenBatch({ batch, confirm = false }: RetryOptions, { journal, sender, reporter }: PaymentSession): string {
  if (batch !== undefined && journal.hasBatch(sender, batch)) return batch
  const batches = batchesIn(journal, { of: sender })
  const name = batch === undefined ? batchToRetry(batches, confirm) : batchNamed(batch, batches, { isWhole: !confirm })
  if (!batches.some((one) => one.batch === name)) throw unknownBatch(name, sender)
  reporter.remark(say`Batch ${name}`)
  return name
}

interface Found {
  /** Rows that were refused, or whose payment has failed. */
  readonly rows: readonly Intent[]
  /** Failed rows that are left out: the reason and the number of rows, by the English text of the reason. */
  readonly leftOut: ReadonlyMap<string, { readonly why: Said; readonly count: number }>
  readonly retried: number
  readonly inDoubt: number
}

/** Judges each row by the service's current statuses. */
async function findRows(batch: string, session: PaymentSession): Promise<Found> {
  const { journal, sender } = session
  const statuses = await updateRows(batch, session)
  const leftOut = new Map<string, { readonly why: Said; readonly count: number }>()
  const leave = (why: Said) => leftOut.set(String(why), { why, count: (leftOut.get(String(why))?.count ?? 0) + 1 })
  let retried = 0
  const candidates: Intent[] = []
  for (const intent of intentsOf(batch, session)) {
    if (intent.status !== 'rejected' && !hasFailed(intent)) continue
    const repeated = hasFailed(intent) && journal.withKey(sender, retryKey(intent.idempotency_key))
    if (repeated && repeated.status !== 'prepared') retried += 1
    else if (hasFailed(intent) && !statuses.has(intent.id))
      leave(say`the service could not be asked whether they failed`)
    else if (repeats(intent) && !isStillFailed(hasFailed(intent) ? intent.id : intent.retry_of, statuses, session))
      leave(say`the service no longer confirms that they failed`)
    else if (keysOf(intent).some((key) => unclearWithKey(key, session).length > 0))
      leave(say`perhaps paid by a login whose user is not known`)
    else candidates.push(intent)
  }
  const replaced = paidSince(candidates, session)
  const rows = candidates.filter(({ id }) => !replaced.has(id))
  for (const by of replaced.values()) leave(say`perhaps paid since, as ${by}`)
  return { rows, leftOut, retried, inDoubt: journal.count({ batch, of: sender, statuses: inDoubtStatuses }) }
}

/** True if the row is sent as the repetition of a failed payment. */
const repeats = (intent: Intent): boolean => hasFailed(intent) || isUnsentRepetition(intent)

/** Keys with which a row may have been paid: its own key and, if its payment failed, the key of the repetition. */
const keysOf = (intent: Intent): readonly string[] => {
  const { idempotency_key: key } = intent
  return hasFailed(intent) ? [key, retryKey(key)] : [key]
}

/**
 * Reads the payments of rows that are open or have failed. Returns the statuses that the service has returned, by the
 * id of the intent: they may contradict the journal, which keeps the end of a payment.
 */
async function updateRows(batch: string, session: PaymentSession): Promise<Statuses> {
  const { journal, sender, reporter } = session
  const answered = new Map<string, Payment['status']>()
  const read = async (isWanted: (intent: Intent) => boolean) => {
    const intents = () => intentsOf(batch, session).filter(isWanted)
    let count = 0
    let since: string | undefined
    for (const { created_at } of intents()) {
      count += 1
      since ??= created_at
    }
    const onPayment = ({ id }: Intent, { status }: Payment) => void answered.set(id, status)
    const ready = async () => !session.signal?.aborted && !sender.hasMoved
    const open = { count, since: since ?? '', intents }
    if (count > 0) await updateStatuses(open, { client: session.client, journal, sender, reporter, ready, onPayment })
  }
  reporter.progress(say`Reading the outcomes of the rows of batch ${batch}`)
  try {
    await read((intent) => isOpen(intent))
    await read((intent) => hasFailed(intent) && !answered.has(intent.id))
  } finally {
    reporter.progress(null)
  }
  return answered
}

const intentsOf = (batch: string, { journal, sender }: PaymentSession) =>
  journal.list({ batch, of: sender, oldestFirst: true })

/**
 * Candidates that a later payment may have replaced, each with the id of the later intent. Both intents debit the same
 * account, and have the same reference, or are equal in two of payee, amount and description, like a row and its
 * corrected version. Rows recorded together do not replace each other.
 */
function paidSince(candidates: readonly Intent[], { journal, sender }: PaymentSession): Map<string, string> {
  const replaced = new Map<string, string>()
  const byTrait = new Map<string, Intent[]>()
  for (const intent of candidates) {
    for (const trait of traitsOf(intent)) byTrait.set(trait, [...(byTrait.get(trait) ?? []), intent])
  }
  const [first] = candidates.map(({ created_at }) => created_at).toSorted()
  if (first === undefined) return replaced
  for (const later of journal.list({ of: sender, since: first })) {
    if (!mayHavePaid(later.status) || hasFailed(later) || later.retry_of !== null) continue
    for (const trait of traitsOf(later)) {
      for (const candidate of byTrait.get(trait) ?? []) {
        const { id, batch, created_at, updated_at } = candidate
        if (later.created_at > (later.batch === batch ? updated_at : created_at)) replaced.set(id, later.id)
      }
    }
  }
  return replaced
}

function traitsOf({ body, reference }: Intent): string[] {
  const { source_account_id: source, amount, recipient_iban, recipient_phone, description = null } = body
  const payee = recipient_iban ?? recipient_phone
  return [
    JSON.stringify([source, payee, amount]),
    JSON.stringify([source, payee, { description }]),
    ...(description === null ? [] : [JSON.stringify([source, { description }, amount])]),
    ...(reference === null ? [] : [JSON.stringify([source, { reference }])]),
  ]
}

const mostLines = 8

/** Prints each reason with its rows, then the omitted rows. */
function describe({ rows, leftOut, retried, inDoubt }: Found, batch: string, { reporter }: PaymentSession): void {
  const reasonOf = ({ status, payment_status, error }: Intent) => {
    const reason = error === null ? say`no reason given` : foreign(error)
    return status === 'rejected' ? say`refused: ${reason}` : say`${foreign(payment_status ?? '')}: ${reason}`
  }
  for (const group of Map.groupBy(rows, (intent) => String(reasonOf(intent))).values()) {
    const lines = group.slice(0, mostLines).map(({ line, id }) => line ?? id)
    const which = `${lines.join(', ')}${group.length > mostLines ? ', ...' : ''}`
    const [first] = group
    if (first) reporter.remark(say`  ${rowsSaid(group.length)} ${reasonOf(first)} (line ${which})`)
  }
  if (retried > 0) reporter.remark(say`  Left out: ${rowsSaid(retried)} sent again before`)
  for (const { why, count } of leftOut.values()) reporter.remark(say`  Left out: ${rowsSaid(count)}, ${why}`)
  if (inDoubt > 0) reporter.remark(say`  Left out: ${rowsSaid(inDoubt)} in doubt`, { kind: 'resume_batch', batch })
}

function nothingToRetry({ leftOut, retried }: Found, batch: string): CliError {
  const all = retried + [...leftOut.values()].reduce((sum, { count }) => sum + count, 0)
  return all === 0
    ? new UsageError(say`No row of batch ${batch} was refused or has failed. Nothing was sent.`)
    : new UsageError(
        all === 1
          ? say`The only row of batch ${batch} that was refused or failed is left out. Nothing was sent.`
          : say`All ${all} rows of batch ${batch} that were refused or failed are left out. Nothing was sent.`,
        {
          kind: 'list_batch',
          batch,
        },
      )
}

/** Records a new intent for each failed row. Resolves to false if an interruption left rows out. */
function recordRepetitions(rows: readonly Intent[], batch: string, session: PaymentSession): Promise<boolean> {
  const { profile, base_url, user, world } = session.sender
  const repetitions: NewIntent[] = rows.filter(hasFailed).map(({ id, idempotency_key, line, ...row }) => ({
    profile,
    base_url,
    user,
    world,
    batch,
    body: row.body,
    reference: row.reference,
    columns: row.columns,
    currency: row.currency,
    expected_names: row.expected_names,
    expected_document: row.expected_document,
    ...(line !== null && { line }),
    idempotency_key: retryKey(idempotency_key),
    retry_of: id,
  }))
  return recordInSlices(repetitions, repetitions.length, session)
}

/**
 * Ids of the recorded intents to send: for a refused row its own intent, whose key is unused; for a failed row the new
 * intent.
 */
const idsToSend = (rows: readonly Intent[], { journal, sender, signal }: PaymentSession): readonly string[] =>
  rows.flatMap((row) => {
    const intent = hasFailed(row) ? journal.withKey(sender, retryKey(row.idempotency_key)) : row
    if (!intent && !signal?.aborted) throw new Error(`The journal has lost the repetition of ${row.id}`)
    return intent?.id ?? []
  })
