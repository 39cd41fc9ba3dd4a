import { formatMoney } from '../contract/money.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import {
  type Intent,
  inDoubtStatuses,
  isInDoubt,
  mayHavePaid,
  type Ownership,
  ownershipOf,
  unsettledStatuses,
} from '../journal/intent.ts'
import { say } from '../words/text.ts'
import { currencyOf, readAccounts } from './accounts.ts'
import { type BatchPlan, type BatchReport, carryOut, type Proposal, type RunOptions } from './batch_plan.ts'
import { batchesIn, batchNamed } from './batches.ts'
import { settleOrAsk, sumsByCurrency } from './confirmation.ts'
import { joinedByAnd, paymentsSaid, rowsSaid } from './counted.ts'
import { claimFound } from './doubts.ts'
import { checkHoldersOf } from './holders.ts'
import { type PaymentSession, withSession } from './payment_session.ts'
import { isUnsentRepetition, needlessRepetitions } from './repetitions.ts'
import type { ResumeOptions } from './resume.ts'
import { claimNamed, placeOf, type Sender, unclearDoubt, unclearWithKey } from './sender.ts'

interface ResumeBatchOptions extends ResumeOptions, RunOptions {
  /** The batch's name, or `last`; if a person is asked, a unique part of the name is enough. */
  readonly batch: string
}

/**
 * Resumes the rows of a batch whose outcome is open, in the order in which they were recorded. Rows that the service
 * has not accepted are sent only after a yes, because they may have been left out on purpose. Undefined if no row is
 * open.
 */
export const resumeBatch = (options: ResumeBatchOptions): Promise<BatchReport | undefined> =>
  withSession(options, async (session) => {
    const plan = await openRows({ ...options, batch: chosenBatch(options, session) }, session)
    return plan && carryOut(plan, options, session)
  })

function chosenBatch(
  { batch, confirm = false }: ResumeBatchOptions,
  { journal, sender, reporter }: PaymentSession,
): string {
  if (journal.hasBatch(sender, batch)) return batch
  const here = batchesIn(journal).filter(({ base_url, user, world }) =>
    ['own', 'unclear'].includes(ownershipOf({ base_url, user, world }, sender)),
  )
  const name = batchNamed(batch, here, { isWhole: !confirm })
  if (name !== batch) reporter.remark(say`Batch ${name}`)
  return name
}

/** Selects the open rows of the batch. */
async function openRows(options: ResumeBatchOptions, session: PaymentSession): Promise<BatchPlan | undefined> {
  const { batch } = options
  const { journal, sender } = session
  const { unclear, unsent, needless } = await surveyBatch(options, session)
  if (unsent.size > 0 && !journal.batchSource(sender, batch).isComplete) throw incomplete(batch)
  const open = { batch, of: sender, statuses: unsettledStatuses, oldestFirst: true }
  const inOrder = [...journal.list(open), ...unclear].toSorted((one, other) =>
    one.created_at.localeCompare(other.created_at),
  )
  let ids = inOrder.map(({ id }) => id).filter((id) => !needless.has(id))
  const total = ids.length
  if (total === 0) return undefined
  const inDoubt = { ...open, statuses: inDoubtStatuses }
  // The sums of the question do not contain these rows.
  const shownInDoubt = new Set([...journal.list(inDoubt)].map(({ id }) => id))
  await settleOrAsk(journal.list(inDoubt), options, session)
  const accounts = await readAccounts(session.client)
  let doubts = journal.count(inDoubt)
  const unsentRows = function* () {
    for (const row of journal.list({ ...open, statuses: ['prepared'] })) if (!needless.has(row.id)) yield row
    yield* unclear
  }
  return {
    batch,
    get total() {
      return ids.length
    },
    get inDoubt() {
      return doubts
    },
    accounts,
    check: () => checkHoldersOf(unsentRows(), options),
    unsent: unsentRows,
    async propose() {
      const amounts = [...unsent].map(([source, sum]) => ({ ...sum, currency: currencyOf(source, accounts) }))
      const repeated = journal.list(inDoubt).filter((intent) => session.looked.isRepeated(intent))
      return proposalOf(amounts, { total, repeated: [...repeated].length, options }, session)
    },
    async record() {
      for (const intent of unclear) journal.claim(intent.id, sender)
      // Another process may have found that the service refused a row: nobody has agreed to send such a row again.
      ids = [...journal.findAll(ids)]
        .filter((intent) => intent.status !== 'rejected' && !hasOther(intent, session))
        .map(({ id }) => id)
      doubts = journal.count(inDoubt)
      return true
    },
    intents: () => journal.findAll(ids),
    isAgreed: ({ id, status }) => status !== 'rejected' && (mayHavePaid(status) || !shownInDoubt.has(id)),
  }
}

const incomplete = (batch: string): CliError =>
  new UsageError(
    say`Batch ${batch} lacks rows of its file: an earlier run ended before it had recorded all of them. Nothing was sent.`,
    { kind: 'pay_file_again' },
  )

interface Survey {
  /** Rows that an unknown user recorded. */
  readonly unclear: readonly Intent[]
  /** Sums of the rows that the service has not accepted. */
  readonly unsent: Unsent
  /** Ids of repetitions that are left out, because their first payment may have paid. */
  readonly needless: ReadonlySet<string>
}

/** Amount in minor units and number of rows, by paying account. */
type Unsent = Map<string, { rows: number; amount: number }>

/** Selects the open rows of the batch that this sender may send. Throws if a row in doubt may be another user's. */
async function surveyBatch({ batch, sentBy }: ResumeBatchOptions, session: PaymentSession): Promise<Survey> {
  const { journal, sender, reporter } = session
  const rows = () => journal.list({ batch, baseUrl: sender.base_url, statuses: unsettledStatuses, oldestFirst: true })
  const of = (ownership: Ownership) => [...rows()].filter((intent) => ownershipOf(intent, sender) === ownership)
  const doubtful = of('unclear').filter(isInDoubt)
  const unsentRows = [...rows()].filter(({ status }) => !mayHavePaid(status))
  const sameKeys = unsentRows.flatMap(({ idempotency_key }) => unclearWithKey(idempotency_key, session))
  const stillUnclear = await claimFound([...doubtful, ...sameKeys], session)
  const left = of('unclear').filter(isInDoubt)
  if (sentBy !== undefined) claimNamed(left, sentBy, session)
  else if (left.length > 0) throw unclearDoubt(left, say`${rowsSaid(left.length)} of this batch`, session)
  const others = stillUnclear.filter((intent) => sameKeys.some(({ id }) => id === intent.id))
  if (others.length > 0)
    throw unclearDoubt(others, say`${paymentsSaid(others.length)} with the keys of this batch's rows`, session)
  const needless = await needlessRepetitions([...of('own'), ...of('unclear')].filter(isUnsentRepetition), session)
  const unsent: Unsent = new Map()
  const unclear: Intent[] = []
  let foreign = 0
  for (const intent of rows()) {
    const ownership = ownershipOf(intent, sender)
    if (needless.has(intent.id) || hasOther(intent, session)) continue
    if (ownership !== 'own' && ownership !== 'unclear') foreign += 1
    else if (!mayHavePaid(intent.status)) add(unsent, intent)
    if (ownership === 'unclear') unclear.push(intent)
  }
  if (foreign > 0) {
    reporter.remark(
      foreign === 1
        ? say`1 unfinished row of this batch belongs to another user, or to a world that is gone: left out.`
        : say`${foreign} unfinished rows of this batch belong to another user, or to a world that is gone: left out.`,
    )
  }
  if (unclear.length === 0 && doubtful.length === 0 && !journal.hasBatch(sender, batch))
    throw unknownBatch(batch, sender)
  if (needless.size > 0) {
    reporter.remark(
      say`Left out: ${rowsSaid(needless.size)}. The service no longer confirms that the earlier payment failed.`,
    )
  }
  return { unclear, unsent, needless }
}

/**
 * True for an unsent row of an unknown user whose payment is the sender's own intent with the same key: that intent may
 * have paid, or is itself a row of the batch.
 */
function hasOther(intent: Intent, { journal, sender }: PaymentSession): boolean {
  if (mayHavePaid(intent.status) || ownershipOf(intent, sender) !== 'unclear') return false
  const own = journal.withKey(sender, intent.idempotency_key)
  return own !== undefined && (mayHavePaid(own.status) || own.batch === intent.batch)
}

function add(unsent: Unsent, { body: { source_account_id: source, amount } }: Intent): void {
  const known = unsent.get(source) ?? { rows: 0, amount: 0 }
  unsent.set(source, { rows: known.rows + 1, amount: known.amount + amount })
}

interface UnsentSum {
  readonly rows: number
  /** Minor units. */
  readonly amount: number
  readonly currency: string | null
}

/**
 * Announces the work, and proposes to send the rows that the service has not accepted. `repeated`: number of rows in
 * doubt that are sent again.
 */
function proposalOf(
  unsent: readonly UnsentSum[],
  {
    total,
    repeated,
    options,
  }: { readonly total: number; readonly repeated: number; readonly options: ResumeBatchOptions },
  { sender, reporter }: PaymentSession,
): Proposal {
  const { batch, confirm, requireAnswerer } = options
  const rows = unsent.reduce((sum, debit) => sum + debit.rows, 0)
  const place = placeOf(sender)
  if (rows === 0) {
    reporter.remark(say`Finding the outcome of ${rowsSaid(total)} in doubt of batch ${batch}, sent ${place}`)
    return { sums: [] }
  }
  const amounts = joinedByAnd(unsent.map(({ amount, currency }) => formatMoney(amount, currency ?? '').trim()))
  const what = say`${rowsSaid(rows)} of batch ${batch} that the service has not accepted, ${amounts}, ${place}`
  if (confirm) requireAnswerer?.(say`send ${what}`)
  const all =
    repeated === 0
      ? what
      : repeated === 1
        ? say`${what}; 1 row in doubt is sent again with its key`
        : say`${what}; ${rowsSaid(repeated)} in doubt are sent again with their keys`
  return { question: say`Send ${all}?`, announcement: say`Sending ${all}`, sums: sumsByCurrency(unsent) }
}

export const unknownBatch = (batch: string, { base_url }: Sender): CliError =>
  new CliError(
    'not_found',
    say`This machine has no batch ${batch} of this user at ${base_url}, in the current world.`,
    {
      kind: 'list_batches',
    },
  )
