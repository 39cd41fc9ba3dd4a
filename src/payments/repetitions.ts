import type { Payment } from '../client/received.ts'
import { endedUnpaid } from '../contract/payment_names.ts'
import { hasFailed, type Intent, mayHavePaid } from '../journal/intent.ts'
import { updateStatuses } from './current_statuses.ts'
import type { PaymentSession } from './payment_session.ts'

// A payment that was read as failed may still complete. So its repetition is sent only if the service still says that it
// failed.

/** Statuses that the service has just returned, by the id of the intent. */
export type Statuses = ReadonlyMap<string, Payment['status']>

/** True if the intent is a repetition that no request can have paid. */
export const isUnsentRepetition = ({ retry_of, status }: Intent): boolean => retry_of !== null && !mayHavePaid(status)

/** Reads the first payments of unsent repetitions. Returns the ids of the repetitions whose first payment may have paid. */
export async function needlessRepetitions(
  intents: Iterable<Intent>,
  session: PaymentSession,
): Promise<ReadonlySet<string>> {
  const repetitions = [...intents].filter(isUnsentRepetition)
  const firsts = [...session.journal.findAll(repetitions.map(({ retry_of }) => retry_of ?? ''))]
  const statuses = await readStatuses(firsts, session)
  return new Set(repetitions.filter((one) => !isStillFailed(one.retry_of, statuses, session)).map(({ id }) => id))
}

/** True if the intent's payment has failed, and the service has just said so. */
export function isStillFailed(id: string | null, statuses: Statuses, { journal }: PaymentSession): boolean {
  const intent = id === null ? undefined : journal.find(id)
  return intent !== undefined && hasFailed(intent) && endedUnpaid(statuses.get(intent.id))
}

async function readStatuses(intents: readonly Intent[], session: PaymentSession): Promise<Statuses> {
  const { client, journal, sender, signal } = session
  const statuses = new Map<string, Payment['status']>()
  const [since = ''] = intents.map(({ created_at }) => created_at).toSorted()
  await updateStatuses(
    { count: intents.length, since, intents: () => intents },
    {
      client,
      journal,
      sender,
      ready: async () => !signal?.aborted && !sender.hasMoved,
      onPayment: ({ id }, { status }) => void statuses.set(id, status),
    },
  )
  return statuses
}
