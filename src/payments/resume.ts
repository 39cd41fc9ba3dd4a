import { RequestGate } from '../client/retry.ts'
import { CliError, concerning } from '../errors/cli_error.ts'
import { ApiError, NetworkError } from '../errors/service_errors.ts'
import {
  hasFailed,
  type Intent,
  type IntentFilter,
  inDoubtStatuses,
  isInDoubt,
  mayHavePaid,
  type Ownership,
  ownershipOf,
  unknownIntent,
} from '../journal/intent.ts'
import type { Guard } from '../limits/guard.ts'
import { foreign, type Said, say, type Text } from '../words/text.ts'
import { writeRows } from './batch_result.ts'
import { type Asking, settleOrAsk } from './confirmation.ts'
import { paymentsSaid } from './counted.ts'
import { claimFound } from './doubts.ts'
import { expectedNow } from './holders.ts'
import type { PaymentOutcome } from './payment_outcome.ts'
import { type PaymentOptions, type PaymentSession, withSession } from './payment_session.ts'
import { describeBody, type Leaving } from './question.ts'
import { readingOnce } from './reading_once.ts'
import { requireNeeded } from './repetitions.ts'
import { agree, checkedHolder, intentWithKey } from './send.ts'
import { claimNamed, isUnclear, type NamedSender, placeOf, requireOwn, unclearDoubt } from './sender.ts'

// Resolves payments with an open outcome: one payment, or all payments in doubt.

export interface ResumeOptions extends PaymentOptions, Asking {
  /** A person's statement of the sender, for intents whose user is not known. */
  readonly sentBy?: NamedSender | undefined
  /** True: asks the reporter before sending payments that the service has not accepted. */
  readonly confirm?: boolean
  /**
   * Throws if nobody has agreed to `what` and nobody can be asked. `why`: sentence that says why agreement is needed.
   */
  readonly requireAnswerer?: (what: Said, why?: Said) => void
  /** Called with each payment that the service has not accepted, before that payment is sent. */
  readonly onLeaving?: (what: Leaving) => void
}

/**
 * Finds the outcome of one intent: reads the history, and repeats a missing payment with its own key, if the service is
 * trusted to remember the key. Throws CliError for an intent that does not exist, may be another user's, or was refused
 * by the service.
 */
export async function resumePayment(id: string, options: ResumeOptions): Promise<PaymentOutcome> {
  const intent = options.journal.find(id)
  if (!intent) throw unknownIntent(id)
  return withSession(options, (session) =>
    concerning(intent, async () => {
      requireOwn(intent, session)
      const own = await claimed(intent, options, session)
      requireOpen(own)
      await requireNeeded(own, session)
      await announce(own, options, session)
      const now = options.journal.find(own.id) ?? own // another process may have sent it during the question
      requireOpen(now)
      return session.outcomeOf(own.status === 'prepared' ? now : own)
    }),
  )
}

/** Throws for a refused intent: a corrected request would be another payment. */
function requireOpen(intent: Intent): void {
  if (intent.status !== 'rejected') return
  throw new CliError(
    'rejected',
    say`The service refused ${intent.id}: ${foreign(intent.error ?? '')}. No money moved, so there is nothing to resume.`,
    { kind: 'send_corrected' },
  )
}

/** Returns the intent as the sender's own. Any user may send an intent that the service has not accepted. */
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

/**
 * Announces the payment to resume. A payment that the service has not accepted needs a yes: the user may have replaced
 * it with another payment.
 */
async function announce(intent: Intent, options: ResumeOptions, session: PaymentSession): Promise<void> {
  const { reporter, journal, sender } = session
  if (intent.status === 'settled') return
  if (intent.status !== 'prepared') {
    reporter.remark(say`Finding the outcome of ${describeBody(intent.body, intent.currency)}, sent ${placeOf(sender)}`)
    return settleOrAsk([intent], options, session)
  }
  options.requireAnswerer?.(say`send it without being asked`, say`The service has not accepted the payment.`)
  const order = { ...intent, ...expectedNow(intent, await options.payees?.()) }
  const reads = readingOnce(session.client)
  const { facts } = await checkedHolder(order, { client: reads, reporter: session.reporter }, options)
  const leaving = await agree(order, session, { confirm: options.confirm, reads, facts })
  options.onLeaving?.(leaving)
  journal.claim(intent.id, sender)
}

/** Result of resuming all payments in doubt. */
export interface ResumeReport {
  readonly total: number
  /** Number of intents that made a payment, and number of intents that made none. */
  readonly settled: number
  readonly rejected: number
  /** Count of settled intents whose payment has ended without paying. */
  readonly unpaid: number
  /** Error about intents that were left out because they may be another user's. */
  readonly unclear: CliError | undefined
  /** Reason why the output is incomplete, if it is. */
  readonly writeError: unknown
}

interface ResumeAllOptions extends ResumeOptions {
  /** Writes each intent with its final state from the journal. */
  readonly write: (intents: AsyncIterable<Intent>) => Promise<void>
}

/**
 * Resumes intents one after another, in the order of their creation; a failure does not stop the others. After an
 * interruption, sends nothing more, and leaves the remaining intents in doubt. Undefined if no intent was in doubt.
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
  const doing = say`Finding the outcome of ${paymentsSaid(total)} ${place}`
  if (total > 0) reporter.remark(whyUnasked(session.guard) ?? doing)
  else if (left.length === 0) reporter.remark(say`No payment is in doubt ${place}.`)
  await settleOrAsk(journal.list(own), options, session)
  const ends = { settled: found.length, rejected: 0, unpaid: found.filter(hasFailed).length }
  const gate = new RequestGate(session.signal ?? new AbortController().signal)
  const resumed = async function* (): AsyncGenerator<Intent, void> {
    yield* found
    for (const listed of journal.findAll(ids)) {
      if (isInDoubt(listed)) await gate.released().catch(() => {}) // interrupted
      const intent = afterwards(listed, session) // another process may have resolved it during the wait
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
    unclear: isLeftOut ? unclearDoubt(left, paymentsSaid(left.length), session) : undefined,
  }
}

/** Note that says why payments in doubt are not sent again, if limits make the profile read-only. */
function whyUnasked(guard: Guard | undefined): Said | undefined {
  const readOnly = guard?.inForce().find(({ read_only }) => read_only)
  return (
    readOnly &&
    say`The limits of profile ${readOnly.profile} allow reading only: payctl reads the history, and sends nothing again.`
  )
}

/**
 * Notes about payments in doubt that this run can't resume, keyed by the ownership of the payments: functions of the
 * number of payments.
 */
const others: Readonly<Partial<Record<Ownership, (count: number) => Text>>> = {
  'other service': (count) =>
    count === 1 ? say`1 was made for another service` : say`${count} were made for another service`,
  'other user': (count) =>
    count === 1
      ? say`1 was made by another user of this service, who alone can resume it`
      : say`${count} were made by another user of this service, who alone can resume them`,
  'other world': (count) =>
    count === 1
      ? say`1 was made in an emulator world that is gone: that payment existed only there`
      : say`${count} were made in an emulator world that is gone: those payments existed only there`,
}

/** Prints notes about intents in doubt that this sender can't resume, and returns intents with an unclear owner. */
function survey({ journal, sender, reporter }: PaymentSession): Intent[] {
  const byOwnership = new Map<Ownership, number>()
  const unclear: Intent[] = []
  for (const intent of journal.list({ statuses: inDoubtStatuses, oldestFirst: true })) {
    const ownership = ownershipOf(intent, sender)
    byOwnership.set(ownership, (byOwnership.get(ownership) ?? 0) + 1)
    if (ownership === 'unclear') unclear.push(intent)
  }
  for (const [ownership, noteOf] of Object.entries(others)) {
    const count = byOwnership.get(ownership as Ownership)
    if (count) reporter.remark(noteOf(count), { kind: 'list_unsettled' })
  }
  return unclear
}

/** Throws an error that is not a failed send: failed sends are in the journal. */
function requireExpected(result: PaymentOutcome): void {
  if (result.outcome !== 'not_sent') return
  const { error } = result
  if (![CliError, ApiError, NetworkError].some((kind) => error instanceof kind)) throw error
}

/**
 * Reads the intent's new state. Returns the last known state if the journal can't be read, because the request was sent
 * anyway.
 */
function afterwards(intent: Intent, { journal }: PaymentSession): Intent {
  try {
    return journal.find(intent.id) ?? intent
  } catch {
    return intent
  }
}
