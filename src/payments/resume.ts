import type { Context } from '../commands/context.ts'
import { intentColumns } from '../commands/payments/intent_columns.ts'
import { unknownIntent } from '../commands/payments/list_intents.ts'
import { tellPayment, tellRows } from '../commands/payments/print_payment.ts'
import { repeatFlags } from '../commands/payments/repeat_flags.ts'
import { CliError, concerning, UsageError } from '../errors/cli_error.ts'
import { reasonOf } from '../errors/reason.ts'
import { ApiError, NetworkError } from '../errors/service_errors.ts'
import { type Intent, type IntentStatus, type Ownership, ownershipOf } from '../journal/intent.ts'
import type { Filter } from '../journal/listing.ts'
import { openJournal } from '../journal/open.ts'
import type { Globals } from '../run/globals.ts'
import { flush } from '../run/sink.ts'
import { agree, requireAnswerer } from './agree.ts'
import { claimFound, claimNamed, isInDoubt, isUnclear, unclearDoubt } from './ownership.ts'
import { type Desk, outcomeOf, transmit } from './payment_session.ts'
import { describeBody } from './preview.ts'
import { learnSender, placeOf } from './sender.ts'

export interface ResumeFlags {
  /** Email or id of the user who sent what payctl does not know the user of. */
  readonly sentBy?: string
  readonly yes?: boolean
}

export async function resumeOne(id: string, flags: ResumeFlags, context: Context): Promise<void> {
  const client = await context.client('payment')
  const journal = openJournal(context.stateDir)
  try {
    const intent = journal.find(id)
    if (!intent) throw unknownIntent(id)
    const sender = await learnSender(context)
    await concerning(intent, () => resumeOwn(intent, flags, { journal, client, context, sender }))
  } finally {
    journal.close()
  }
}

async function resumeOwn(intent: Intent, flags: ResumeFlags, desk: Desk): Promise<void> {
  requireOwn(intent, desk)
  requireOpen(intent)
  const own = await resolved(intent, flags, desk)
  await announce(own, flags, desk)
  await tellPayment(await outcomeOf(own, desk), desk.context)
}

/** A refusal ends an intent for good: sent anew it is another decision. */
function requireOpen(intent: Intent): void {
  if (intent.status !== 'rejected') return
  throw new CliError(
    'rejected',
    `The service refused ${intent.id}: ${intent.error}. No money moved, and there is nothing to resume.`,
    'Send it anew, corrected: payctl payments send',
  )
}

/** Whose it is, where that was not clear. What never left is nobody's yet. */
async function resolved(intent: Intent, { sentBy }: ResumeFlags, desk: Desk): Promise<Intent> {
  const { journal, sender } = desk
  if (!isUnclear(intent, desk)) return intent
  if (isInDoubt(intent)) await claimFound([intent], desk)
  const now = journal.find(intent.id) ?? intent
  if (!isInDoubt(now)) return now
  if (sentBy === undefined) throw unclearDoubt([now], `${now.id}`, desk)
  claimNamed([now], sentBy, desk)
  return { ...now, user: sender.user, world: sender.world }
}

/** What never left this machine may have been left out, or sent anew, since. */
async function announce(intent: Intent, { yes }: ResumeFlags, desk: Desk): Promise<void> {
  const { context, journal, sender } = desk
  if (intent.status === 'settled') return
  if (intent.status !== 'prepared') {
    context.output.note(`Finding out what became of ${describeBody(intent.body)}, sent ${placeOf(sender)}`)
    return
  }
  requireAnswerer(yes, context, 'It never left this machine. Add --yes to send it without being asked')
  await agree({ body: intent.body, key: intent.idempotency_key }, yes, desk)
  journal.claim(intent.id, sender)
}

/** One after the other, in the order they were made; a failure does not keep the rest waiting. */
export async function resumeAll({ sentBy }: ResumeFlags, context: Context): Promise<void> {
  const client = await context.client('payment')
  const journal = openJournal(context.stateDir)
  try {
    if (journal.count({ statuses: inDoubt }) > 0) {
      return await resumeDoubtful(sentBy, { journal, client, context, sender: await learnSender(context) })
    }
    context.output.note('No payment is in doubt.')
    await context.output.list([], intentColumns(context.output.format))
  } finally {
    journal.close()
  }
}

async function resumeDoubtful(sentBy: string | undefined, desk: Desk): Promise<void> {
  const { journal, sender, context } = desk
  const unclear = survey(desk)
  await claimFound(unclear, desk)
  const now = unclear.map(({ id }) => journal.find(id)).filter((intent) => intent !== undefined)
  const found = now.filter(({ status }) => status === 'settled')
  const left = now.filter(isInDoubt)
  if (sentBy !== undefined) claimNamed(left, sentBy, desk)
  const own: Filter = { statuses: inDoubt, of: sender, oldestFirst: true }
  const total = found.length + journal.count(own)
  const place = placeOf(sender)
  if (total > 0)
    context.output.note(`Finding out what became of ${total === 1 ? '1 payment' : `${total} payments`} ${place}`)
  else if (left.length === 0) context.output.note(`No payment is in doubt ${place}.`)
  const ends: Ends = { settled: 0, rejected: 0 }
  const resumed = resumeEach(found, journal.list(own), { ends, desk })
  const fault = await tellRows(resumed, async (rows) => {
    await context.output.stream(rows, intentColumns(context.output.format))
    await flush(context.io.stdout)
  })
  requireSettled(ends, total, `payctl payments resume${repeatFlags(context.globals)}`)
  if (fault !== undefined) throw untold(total, fault)
  if (sentBy !== undefined || left.length === 0) return
  throw unclearDoubt(left, left.length === 1 ? '1 payment' : `${left.length} payments`, desk)
}

const inDoubt: readonly IntentStatus[] = ['sent', 'unknown']

const others = {
  'other service': 'made for another service',
  'other user': 'made by another user of this service, who alone can resume them',
  'other world': 'made in a world of an emulator that is not there any more: those payments existed only there',
}

/** Tells of intents in doubt that are somebody else's, and returns those that may be. */
function survey({ journal, sender, context }: Desk): Intent[] {
  const byOwnership = new Map<Ownership, number>()
  const unclear: Intent[] = []
  for (const intent of journal.list({ statuses: inDoubt, oldestFirst: true })) {
    const ownership = ownershipOf(intent, sender)
    byOwnership.set(ownership, (byOwnership.get(ownership) ?? 0) + 1)
    if (ownership === 'unclear') unclear.push(intent)
  }
  for (const [ownership, text] of Object.entries(others)) {
    const count = byOwnership.get(ownership as Ownership)
    if (count)
      context.output.note(`${count} ${count === 1 ? 'was' : 'were'} ${text}: payctl payments intents --unsettled`)
  }
  return unclear
}

/** How many are known to have made a payment, and to have made none. */
interface Ends {
  settled: number
  rejected: number
}

interface Resuming {
  readonly ends: Ends
  readonly desk: Desk
}

/** Yields each as the journal has it afterwards, and counts it; those that are found need no more. */
async function* resumeEach(
  found: Iterable<Intent>,
  intents: Iterable<Intent>,
  { ends, desk }: Resuming,
): AsyncGenerator<Intent, void> {
  for (const intent of found) {
    ends.settled += 1
    yield intent
  }
  for (const intent of intents) {
    if (desk.context.signal.aborted) return
    await transmit(intent, desk).catch(requireExpected)
    const now = afterwards(intent, desk)
    if (now.status === 'settled' || now.status === 'rejected') ends[now.status] += 1
    yield now
  }
}

/** What was known before, when the journal broke meanwhile: something has left all the same. */
function afterwards(intent: Intent, { journal }: Desk): Intent {
  try {
    return journal.find(intent.id) ?? intent
  } catch {
    return intent
  }
}

/** A failure of sending is in the journal; any other ends the run. */
function requireExpected(error: unknown): void {
  const expected = [CliError, ApiError, NetworkError].some((kind) => error instanceof kind)
  if (!expected) throw error
}

function requireSettled({ settled, rejected }: Ends, total: number, again: string): void {
  const doubtful = total - settled - rejected
  if (doubtful > 0) {
    const message = `The outcome of ${doubtful} of ${total} payments is still unknown, money may have moved.`
    throw new CliError('outcome_unknown', message, again)
  }
  if (rejected > 0) {
    const message = `The service refused ${rejected} of ${total} payments; no money moved for them.`
    throw new CliError('rejected', message, 'payctl payments intents')
  }
}

function untold(total: number, fault: unknown): CliError {
  return new CliError(
    'outcome_unknown',
    `What became of ${total} payments is known, but could not be written: ${reasonOf(fault)}.`,
    'payctl payments intents',
  )
}

/** Throws for an intent that is known to be another's: repeated here it would be another payment. */
function requireOwn(intent: Intent, { sender, context }: Desk): void {
  const { id, base_url, profile, user } = intent
  const here = sender.name ?? 'the holder of this token'
  const there = profile === 'default' || profile === sender.profile ? undefined : { profile }
  const again = (flags: Globals) => `payctl payments resume ${id}${repeatFlags(flags)}`
  switch (ownershipOf(intent, sender)) {
    case 'other service':
      if (base_url === sender.base_url) throw replaced(intent)
      throw new UsageError(
        `${id} was made for ${base_url} (profile ${profile}), not for ${sender.base_url}. Nothing was sent.`,
        again(there ?? { baseUrl: base_url }),
      )
    case 'other user':
      throw new UsageError(
        `${id} was sent by another user (${user}, profile ${profile}), not by ${here}. Nothing was sent.`,
        there ? again(there) : `With that user's login or token: ${again(context.globals)}`,
      )
    case 'other world':
      throw new CliError(
        'conflict',
        `${id} was sent in a world of an emulator that is not there any more (it was reset, or is another one): the payment existed only there. Nothing was sent.`,
        'Make it anew, in the world that is there: payctl payments send',
      )
    default:
  }
}

function replaced({ id, base_url, world }: Intent): UsageError {
  const [then, now] = world === null ? ['no emulator', 'one'] : ['an emulator', 'none']
  return new UsageError(
    `${id} was sent to ${base_url} when that was ${then}, and now it is ${now}. Nothing was sent.`,
    'Resume it once the service is there again',
  )
}
