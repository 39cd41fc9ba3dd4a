import { RequestGate } from '../client/request_gate.ts'
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
} from '../journal/intent.ts'
import { writeRows } from './batch_result.ts'
import { settleOrAsk } from './confirmation.ts'
import { claimFound } from './doubts.ts'
import { expectedNow } from './holders.ts'
import { whyUnasked } from './limited_rows.ts'
import { type PaymentOptions, type PaymentOutcome, type PaymentSession, withSession } from './payment_session.ts'
import { describeBody, type Leaving } from './question.ts'
import { hasFailed } from './repeated_payment.ts'
import { agree, compareHolder, intentWithKey } from './send.ts'
import { claimNamed, isUnclear, type NamedSender, placeOf, requireOwn, unclearDoubt } from './sender.ts'

// What became of payments whose outcome is open: of one, and of all in doubt.

export interface ResumeOptions extends PaymentOptions {
  /** Who sent what payctl does not know the user of. */
  readonly sentBy?: NamedSender | undefined
  /** Ask the reporter before anything is sent that the service has not taken. */
  readonly confirm?: boolean
  /** A person answers the reporter's questions. Without it, payments with old keys are not sent again. */
  readonly asksPerson?: boolean | undefined
  /** Throws where nobody has agreed to `what`, nor can be asked; `why` they should be is a sentence. */
  readonly requireAnswerer?: (what: string, why?: string) => void
  /** Hears what is about to leave that the service has not taken. */
  readonly onLeaving?: (what: Leaving) => void
}

/**
 * Finds out the result of one intent: the history is read, and what is not there is repeated with its own key, if the service
 * is trusted to remember that. Throws CliError for an intent of another user, or one that the service refused.
 */
export async function resumePayment(id: string, options: ResumeOptions): Promise<PaymentOutcome> {
  const intent = options.journal.find(id)
  if (!intent) throw unknownIntent(id)
  return withSession(options, (session) =>
    concerning(intent, async () => {
      requireOwn(intent, session)
      const own = await claimed(intent, options, session)
      requireOpen(own)
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

/** The intent as the sender's own. One that the service has not taken is anybody's. */
async function claimed(intent: Intent, { sentBy }: ResumeOptions, session: PaymentSession): Promise<Intent> {
  const { journal, sender } = session
  if (!mayHavePaid(intent.status)) {
    const known = await intentWithKey(intent.idempotency_key, session)
    return known && mayHavePaid(known.status) ? known : intent
  }
  if (!isUnclear(intent, sender)) return intent
  if (isInDoubt(intent)) await claimFound([intent], session)
  const now = journal.find(intent.id) ?? intent
  if (!isInDoubt(now)) return now
  if (sentBy === undefined) throw unclearDoubt([now], now.id, session)
  claimNamed([now], sentBy, session)
  return { ...now, user: sender.user, world: sender.world }
}

/** Says what is resumed. An intent that the service has not taken may have been replaced since: it takes a yes. */
async function announce(intent: Intent, options: ResumeOptions, session: PaymentSession): Promise<void> {
  const { reporter, journal, sender } = session
  if (intent.status === 'settled') return
  if (intent.status !== 'prepared') {
    reporter.remark(`Finding out what became of ${describeBody(intent.body, intent.currency)}, sent ${placeOf(sender)}`)
    return settleOrAsk([intent], options, session)
  }
  options.requireAnswerer?.('send it without being asked', 'The service has not taken it.')
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
  /** Of those that made a payment: how many of these have ended without paying. */
  readonly unpaid: number
  /** Of intents that were left out, as they may be another user's. */
  readonly unclear: CliError | undefined
  /** Why the rows could not be written to their end, if so. */
  readonly writeError: unknown
}

interface ResumeAllOptions extends ResumeOptions {
  /** Takes each intent as the journal has it afterwards. */
  readonly write: (intents: AsyncIterable<Intent>) => Promise<void>
}

/**
 * One after the other, in the order they were made; a failure keeps none waiting. Interrupted, it sends nothing more, and
 * those that are left are still in doubt. Undefined when none is.
 */
export async function resumePayments(options: ResumeAllOptions): Promise<ResumeReport | undefined> {
  if (options.journal.count({ statuses: inDoubtStatuses }) === 0) return undefined
  return withSession(options, (session) => resumeInDoubt(options, session))
}

async function resumeInDoubt(options: ResumeAllOptions, session: PaymentSession): Promise<ResumeReport> {
  const { sentBy, write } = options
  const { journal, sender, reporter } = session
  const unclear = survey(session)
  await claimFound(unclear, session)
  const now = unclear.map(({ id }) => journal.find(id)).filter((intent) => intent !== undefined)
  const found = now.filter(({ status }) => status === 'settled')
  const left = now.filter(isInDoubt)
  if (sentBy !== undefined) claimNamed(left, sentBy, session)
  const own: IntentFilter = { statuses: inDoubtStatuses, of: sender, oldestFirst: true }
  const ids = [...journal.list(own)].map(({ id }) => id)
  const total = found.length + ids.length
  const place = placeOf(sender)
  const doing = `Finding out what became of ${paymentsOf(total)} ${place}`
  if (total > 0) reporter.remark(whyUnasked(session.guard) ?? doing)
  else if (left.length === 0) reporter.remark(`No payment is in doubt ${place}.`)
  await settleOrAsk(journal.list(own), options, session)
  const ends = { settled: found.length, rejected: 0, unpaid: found.filter(hasFailed).length }
  const gate = new RequestGate(session.signal ?? new AbortController().signal)
  const resumed = async function* (): AsyncGenerator<Intent, void> {
    yield* found
    for (const intent of journal.findAll(ids)) {
      if (isInDoubt(intent)) await gate.released().catch(() => {}) // interrupted
      if (isInDoubt(intent) && !session.signal?.aborted) {
        const outcome = await session.send(intent)
        requireExpected(outcome)
        if ('error' in outcome) gate.heed(outcome.error)
      }
      const end = afterwards(intent, session)
      if (end.status === 'settled' || end.status === 'rejected') ends[end.status] += 1
      if (hasFailed(end)) ends.unpaid += 1
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
