import { formatMoney } from '../contract/money.ts'
import { CliError, concerning } from '../errors/cli_error.ts'
import { ApiError, NetworkError } from '../errors/service_errors.ts'
import {
  type Intent,
  type IntentFilter,
  inDoubtStatuses,
  isInDoubt,
  mayHavePaid,
  type Ownership,
  ownershipOf,
  unknownIntent,
  unsettledStatuses,
} from '../journal/intent.ts'
import { type Accounts, readAccounts } from './accounts.ts'
import { writeRows } from './batch_result.ts'
import { type BatchReport, type RunOptions, runBatch } from './batch_run.ts'
import { claimFound } from './find_payment.ts'
import { checkHoldersOf, expectedNow } from './holders.ts'
import { requireWithinLimits, whyUnasked } from './limited_rows.ts'
import { type PaymentOptions, type PaymentOutcome, type PaymentSession, withSession } from './payment_session.ts'
import { describeBody, type Leaving } from './question.ts'
import { agree, askToSend, compareHolder, sumsByCurrency } from './send.ts'
import { claimNamed, isUnclear, type NamedSender, placeOf, requireOwn, type Sender, unclearDoubt } from './sender.ts'

// What became of payments whose outcome is open: of one, of all in doubt, of a batch.

export interface ResumeOptions extends PaymentOptions {
  /** Who sent what payctl does not know the user of. */
  readonly sentBy?: NamedSender | undefined
  /** Ask the reporter before anything is sent that never left this machine. */
  readonly confirm?: boolean
  /** Throws where nobody has agreed to `what`, nor can be asked; `why` they should be is a sentence. */
  readonly requireAnswerer?: (what: string, why?: string) => void
  /** Hears what is about to leave that never left before. */
  readonly onLeaving?: (what: Leaving) => void
}

/**
 * Finds out what became of one intent: its request is repeated with its own key, so that it pays once. Throws CliError
 * for one that is another user's, or that the service refused.
 */
export async function resumePayment(id: string, options: ResumeOptions): Promise<PaymentOutcome> {
  const intent = options.journal.find(id)
  if (!intent) throw unknownIntent(id)
  return withSession(options, (session) =>
    concerning(intent, async () => {
      requireOwn(intent, session)
      requireOpen(intent)
      const own = await claimed(intent, options, session)
      await announce(own, options, session)
      return session.outcomeOf(own)
    }),
  )
}

/** A refused intent is not sent again: corrected, it is another payment. */
function requireOpen(intent: Intent): void {
  if (intent.status !== 'rejected') return
  throw new CliError(
    'rejected',
    `The service refused ${intent.id}: ${intent.error}. No money moved, and there is nothing to resume.`,
    { kind: 'send_corrected' },
  )
}

/** The intent as the sender's own. One that never left is anybody's. */
async function claimed(intent: Intent, { sentBy }: ResumeOptions, session: PaymentSession): Promise<Intent> {
  const { journal, sender } = session
  if (!isUnclear(intent, sender)) return intent
  if (isInDoubt(intent)) await claimFound([intent], session)
  const now = journal.find(intent.id) ?? intent
  if (!isInDoubt(now)) return now
  if (sentBy === undefined) throw unclearDoubt([now], now.id, session)
  claimNamed([now], sentBy, session)
  return { ...now, user: sender.user, world: sender.world }
}

/** Says what is resumed. An intent that never left this machine may have been replaced since: it takes a yes. */
async function announce(intent: Intent, options: ResumeOptions, session: PaymentSession): Promise<void> {
  const { reporter, journal, sender } = session
  if (intent.status === 'settled') return
  if (intent.status !== 'prepared') {
    reporter.remark(`Finding out what became of ${describeBody(intent.body, intent.currency)}, sent ${placeOf(sender)}`)
    return
  }
  options.requireAnswerer?.('send it without being asked', 'It never left this machine.')
  const expected = expectedNow(intent, await options.payees?.())
  const order = { body: intent.body, key: intent.idempotency_key, expected }
  await compareHolder(order, session, options)
  const leaving = await agree(order, session, options.confirm)
  options.onLeaving?.(leaving)
  journal.claim(intent.id, sender)
}

/** What became of all that was in doubt. */
export interface ResumeReport {
  readonly total: number
  /** How many are known to have made a payment, and to have made none. */
  readonly settled: number
  readonly rejected: number
  /** Of intents that were left out, as they may be another user's. */
  readonly unclear: CliError | undefined
  /** Why the rows could not be written to their end, if so. */
  readonly writeError: unknown
}

interface ResumeAllOptions extends ResumeOptions {
  /** Takes each intent as the journal has it afterwards. */
  readonly write: (intents: AsyncIterable<Intent>) => Promise<void>
}

/** One after the other, in the order they were made; a failure keeps none waiting. Undefined when none is in doubt. */
export async function resumePayments(options: ResumeAllOptions): Promise<ResumeReport | undefined> {
  if (options.journal.count({ statuses: inDoubtStatuses }) === 0) return undefined
  return withSession(options, (session) => resumeInDoubt(options, session))
}

async function resumeInDoubt({ sentBy, write }: ResumeAllOptions, session: PaymentSession): Promise<ResumeReport> {
  const { journal, sender, reporter } = session
  const unclear = survey(session)
  await claimFound(unclear, session)
  const now = unclear.map(({ id }) => journal.find(id)).filter((intent) => intent !== undefined)
  const found = now.filter(({ status }) => status === 'settled')
  const left = now.filter(isInDoubt)
  if (sentBy !== undefined) claimNamed(left, sentBy, session)
  const own: IntentFilter = { statuses: inDoubtStatuses, of: sender, oldestFirst: true }
  const total = found.length + journal.count(own)
  const place = placeOf(sender)
  const doing = `Finding out what became of ${paymentsOf(total)} ${place}`
  if (total > 0) reporter.remark(whyUnasked(session.guard) ?? doing)
  else if (left.length === 0) reporter.remark(`No payment is in doubt ${place}.`)
  const ends = { settled: found.length, rejected: 0 }
  const resumed = async function* (): AsyncGenerator<Intent, void> {
    yield* found
    for (const intent of journal.list(own)) {
      if (session.signal?.aborted) return
      requireExpected(await session.send(intent))
      const end = afterwards(intent, session)
      if (end.status === 'settled' || end.status === 'rejected') ends[end.status] += 1
      yield end
    }
  }
  const writeError = await writeRows(resumed(), write)
  const isLeftOut = sentBy === undefined && left.length > 0
  return {
    total,
    ...ends,
    writeError,
    unclear: isLeftOut ? unclearDoubt(left, paymentsOf(left.length), session) : undefined,
  }
}

const paymentsOf = (count: number): string => (count === 1 ? '1 payment' : `${count} payments`)

const others = {
  'other service': 'made for another service',
  'other user': 'made by another user of this service, who alone can resume them',
  'other world': 'made in a world of an emulator that is gone: those payments existed only there',
}

/** Tells of intents in doubt that are somebody else's, and returns those that may be. */
function survey({ journal, sender, reporter }: PaymentSession): Intent[] {
  const byOwnership = new Map<Ownership, number>()
  const unclear: Intent[] = []
  for (const intent of journal.list({ statuses: inDoubtStatuses, oldestFirst: true })) {
    const ownership = ownershipOf(intent, sender)
    byOwnership.set(ownership, (byOwnership.get(ownership) ?? 0) + 1)
    if (ownership === 'unclear') unclear.push(intent)
  }
  for (const [ownership, text] of Object.entries(others)) {
    const count = byOwnership.get(ownership as Ownership)
    if (count) reporter.remark(`${count} ${count === 1 ? 'was' : 'were'} ${text}`, { kind: 'list_unsettled' })
  }
  return unclear
}

/** A failure of sending is in the journal; any other ends the run. */
function requireExpected(result: PaymentOutcome): void {
  if (result.outcome !== 'not_sent') return
  const { error } = result
  if (![CliError, ApiError, NetworkError].some((kind) => error instanceof kind)) throw error
}

/** As it was known before, when the journal can't be read: its request has left all the same. */
function afterwards(intent: Intent, { journal }: PaymentSession): Intent {
  try {
    return journal.find(intent.id) ?? intent
  } catch {
    return intent
  }
}

export interface ResumeBatchOptions extends ResumeOptions, RunOptions {
  /** The batch's name. */
  readonly batch: string
}

/**
 * Sends the rows of a batch whose outcome is open, in the order they were written down. Those that never left are sent
 * only after a yes: they may have been left out on purpose. Undefined when no row is open.
 */
export const resumeBatch = (options: ResumeBatchOptions): Promise<BatchReport | undefined> =>
  withSession(options, async (session) => {
    const { batch } = options
    const { journal, sender } = session
    const { unclear, unsent } = await surveyBatch(options, session)
    const open = { batch, of: sender, statuses: unsettledStatuses, oldestFirst: true }
    const total = journal.count(open) + unclear.length
    const doubts = journal.count({ ...open, statuses: inDoubtStatuses })
    if (total === 0) return undefined
    const accounts = await readAccounts(session.client)
    const prepared = () => journal.list({ ...open, statuses: ['prepared'] })
    await checkHoldersOf([...prepared(), ...unclear], options)
    await session.guard?.learn(unsent.keys(), session.client)
    requireWithinLimits(prepared(), session.guard, journal.counted)
    await agreeToSend({ unsent, total, accounts }, options, session)
    for (const intent of unclear) journal.claim(intent.id, sender)
    const run = { batch, intents: () => journal.list(open), total, doubts, accounts, wait: undefined }
    return runBatch(run, options, session)
  })

/** Minor units and rows, by the account that pays. */
type Unsent = Map<string, { rows: number; amount: number }>

interface OpenBatch {
  /** Rows that never left, of which it is not known who had them written down. */
  readonly unclear: readonly Intent[]
  readonly unsent: Unsent
}

/** What is open in the batch, and whose it is. Throws where a row in doubt may be another user's. */
async function surveyBatch({ batch, sentBy }: ResumeBatchOptions, session: PaymentSession): Promise<OpenBatch> {
  const { journal, sender, reporter } = session
  const rows = () => journal.list({ batch, baseUrl: sender.base_url, statuses: unsettledStatuses, oldestFirst: true })
  const of = (ownership: Ownership) => [...rows()].filter((intent) => ownershipOf(intent, sender) === ownership)
  const doubtful = of('unclear').filter(isInDoubt)
  await claimFound(doubtful, session)
  const left = of('unclear').filter(isInDoubt)
  if (sentBy !== undefined) claimNamed(left, sentBy, session)
  else if (left.length > 0) throw unclearDoubt(left, `${left.length} of its rows`, session)
  const unsent: Unsent = new Map()
  const unclear: Intent[] = []
  let others = 0
  for (const intent of rows()) {
    const ownership = ownershipOf(intent, sender)
    if (ownership !== 'own' && ownership !== 'unclear') others += 1
    else if (!mayHavePaid(intent.status)) add(unsent, intent)
    if (ownership === 'unclear') unclear.push(intent)
  }
  if (others > 0) {
    const are = others === 1 ? 'row of this batch is' : 'rows of this batch are'
    reporter.remark(`${others} open ${are} another user's, or of a world that is gone: left out.`)
  }
  if (unclear.length === 0 && doubtful.length === 0 && !journal.hasBatch(sender, batch))
    throw unknownBatch(batch, sender)
  return { unclear, unsent }
}

function add(unsent: Unsent, { body: { source_account_id: source, amount } }: Intent): void {
  const known = unsent.get(source) ?? { rows: 0, amount: 0 }
  unsent.set(source, { rows: known.rows + 1, amount: known.amount + amount })
}

interface OpenRows {
  readonly unsent: Unsent
  readonly total: number
  readonly accounts: Accounts
}

/** Says what is about to happen, and asks where something would be sent that never was. */
async function agreeToSend(open: OpenRows, options: ResumeBatchOptions, session: PaymentSession): Promise<void> {
  const { sender, reporter } = session
  const { unsent, total, accounts } = open
  const { batch, confirm } = options
  const rows = [...unsent.values()].reduce((sum, { rows }) => sum + rows, 0)
  const place = placeOf(sender)
  const doubtful = total - rows
  const inDoubt = `${doubtful} ${doubtful === 1 ? 'row' : 'rows'} in doubt`
  if (rows === 0) return reporter.remark(`Finding out about ${inDoubt} of batch ${batch}, sent ${place}`)
  const currencyOf = (source: string) => accounts?.get(source)?.balance.currency ?? ''
  const sums = [...unsent].map(([source, { amount }]) => formatMoney(amount, currencyOf(source)).trim())
  const what = `${rows} ${rows === 1 ? 'row' : 'rows'} of batch ${batch} that ${rows === 1 ? 'was' : 'were'} never sent, ${sums.join(' and ')}, ${place}`
  const also = doubtful > 0 ? `; ${inDoubt} ${doubtful === 1 ? 'is' : 'are'} paid once` : ''
  const totals = sumsByCurrency(
    [...unsent].map(([source, { amount }]) => ({ amount, currency: currencyOf(source) || null })),
  )
  if (!confirm) {
    session.guard?.requireNoTyping(totals)
    return reporter.remark(`Sending ${what}${also}`)
  }
  options.requireAnswerer?.(`send ${what}`)
  await askToSend(`Send ${what}${also}?`, totals, session)
}

export const unknownBatch = (batch: string, { base_url }: Sender): CliError =>
  new CliError('not_found', `There is no batch ${batch} for ${base_url}, its world and this user on this machine.`, {
    kind: 'list_batches',
  })
