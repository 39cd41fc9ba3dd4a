import type { Payment } from '../client/received.ts'
import { endedUnpaid } from '../contract/payment_names.ts'
import { CliError } from '../errors/cli_error.ts'
import { hasFailed, type Intent, mayHavePaid } from '../journal/intent.ts'
import { say } from '../words/text.ts'
import { updateStatuses } from './current_statuses.ts'
import { chainOf } from './made_payments.ts'
import type { HistoryAccess } from './payment_in_history.ts'

// A payment that was read as failed may still complete. So its repetition is sent only if the service still says that
// the payment, and every payment that it repeats, has failed.

interface Access extends HistoryAccess {
  readonly signal: AbortSignal | undefined
}

/** Statuses that the service has just returned, by the id of the intent. */
export type Statuses = ReadonlyMap<string, Payment['status']>

/** True if the intent is a repetition that no request can have paid. */
export const isUnsentRepetition = ({ retry_of, status }: Intent): boolean => retry_of !== null && !mayHavePaid(status)

/**
 * Reads the earlier payments of repetitions. Returns the ids of the repetitions of which an earlier payment may have
 * paid.
 */
export async function needlessRepetitions(intents: Iterable<Intent>, session: Access): Promise<ReadonlySet<string>> {
  const repetitions = [...intents].filter(({ retry_of }) => retry_of !== null)
  const earlier = new Map(
    repetitions.flatMap(({ retry_of }) => [...chainOf(retry_of, session)].map((one) => [one.id, one] as const)),
  )
  const statuses = await readStatuses([...earlier.values()], session)
  return new Set(repetitions.filter((one) => !isStillFailed(one.retry_of, statuses, session)).map(({ id }) => id))
}

/**
 * Call before a repetition is sent. Throws if an earlier payment of its row may have paid: a person may have thought for
 * an hour since the rows were selected.
 */
export async function requireNeeded(intent: Intent, session: Access): Promise<void> {
  if (!isUnsentRepetition(intent)) return
  const needless = await needlessRepetitions([intent], session)
  session.signal?.throwIfAborted() // after an abort the payments were not read
  if (needless.size > 0) throw new NeedlessRepetition(intent)
}

/** Error for a repetition that is not sent, because an earlier payment of its row may have paid. */
export class NeedlessRepetition extends CliError {
  constructor({ id, retry_of }: Intent) {
    super(
      'conflict',
      say`${id} was not sent: it repeats ${retry_of ?? ''}, and the service no longer confirms that this payment failed.`,
      { kind: 'list_intents' },
    )
  }
}

/** True if the intent's payment and all payments that it repeats have failed, and the service has just said so. */
export function isStillFailed(id: string | null, statuses: Statuses, access: Pick<Access, 'journal'>): boolean {
  const chain = [...chainOf(id, access)]
  return chain.length > 0 && chain.every((one) => hasFailed(one) && endedUnpaid(statuses.get(one.id)))
}

async function readStatuses(intents: readonly Intent[], session: Access): Promise<Statuses> {
  if (intents.length === 0) return new Map()
  const { sender, signal } = session
  const statuses = new Map<string, Payment['status']>()
  const [since = ''] = intents.map(({ created_at }) => created_at).toSorted()
  await updateStatuses(
    { count: intents.length, since, intents: () => intents },
    {
      ...session,
      ready: async () => !signal?.aborted && !sender.hasMoved,
      onPayment: ({ id }, { status }) => void statuses.set(id, status),
    },
  )
  return statuses
}
