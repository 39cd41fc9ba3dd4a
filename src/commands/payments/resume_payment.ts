import { ApiError, NetworkError } from '../../client/errors.ts'
import type { Intent } from '../../journal/intent.ts'
import type { Filter } from '../../journal/listing.ts'
import { openJournal } from '../../journal/open.ts'
import { CliError, concerning, UsageError } from '../../output/cli_error.ts'
import { flush } from '../../output/sink.ts'
import type { Context } from '../context.ts'
import { reasonOf } from '../reason.ts'
import { intentColumns } from './intent_columns.ts'
import { unknownIntent } from './list_intents.ts'
import { repeatFlags } from './repeat_flags.ts'
import { tellPayment, tellRows } from './tell.ts'
import { type Desk, outcomeOf, transmit } from './transmit.ts'

export async function resumeOne(id: string, context: Context): Promise<void> {
  await atDesk(context, async (desk) => {
    const intent = desk.journal.find(id)
    if (!intent) throw unknownIntent(id)
    await concerning(intent, async () => {
      await requireSameService(intent, context)
      requireOpen(intent)
      await tellPayment(await outcomeOf(intent, desk), context)
    })
  })
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

/** One after the other, in the order they were made; a failure does not keep the rest waiting. */
export async function resumeAll(context: Context): Promise<void> {
  await atDesk(context, async (desk) => {
    const { baseUrl } = await context.target()
    const inDoubt: Filter = { statuses: ['sent', 'unknown'], oldestFirst: true }
    const total = desk.journal.count({ ...inDoubt, baseUrl })
    const elsewhere = desk.journal.count(inDoubt) - total
    if (elsewhere > 0) {
      context.output.note(`${elsewhere} were made for another service: payctl payments intents --unsettled`)
    }
    if (total === 0) context.output.note('No payment is in doubt.')
    const ends: Ends = { settled: 0, rejected: 0 }
    const resumed = resumeEach(desk.journal.list({ ...inDoubt, baseUrl }), ends, desk)
    const fault = await tellRows(resumed, async (rows) => {
      await context.output.stream(rows, intentColumns(context.output.format))
      await flush(context.io.stdout)
    })
    requireSettled(ends, total, `payctl payments resume${repeatFlags(context.globals)}`)
    if (fault !== undefined) throw untold(total, fault)
  })
}

/** How many are known to have made a payment, and to have made none. */
interface Ends {
  settled: number
  rejected: number
}

/** Yields each as the journal has it afterwards, and counts it. */
async function* resumeEach(intents: Iterable<Intent>, ends: Ends, desk: Desk): AsyncGenerator<Intent, void> {
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

async function atDesk<T>(context: Context, work: (desk: Desk) => Promise<T>): Promise<T> {
  const client = await context.client('payment')
  const journal = openJournal(context.stateDir)
  try {
    return await work({ journal, client, context })
  } finally {
    journal.close()
  }
}

async function requireSameService({ id, base_url, profile }: Intent, context: Context): Promise<void> {
  const here = await context.target()
  if (here.baseUrl === base_url) return
  const there = profile === 'default' || profile === here.profile ? { baseUrl: base_url } : { profile }
  throw new UsageError(
    `${id} was made for ${base_url} (profile ${profile}), not for ${here.baseUrl}. Nothing was sent.`,
    `payctl payments resume ${id}${repeatFlags(there)}`,
  )
}
