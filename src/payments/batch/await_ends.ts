import { sleep } from '../../client/retry.ts'
import { terminalStatuses } from '../../contract/terminal_statuses.ts'
import { failureOf } from '../../errors/failure.ts'
import type { Intent } from '../../journal/intent.ts'
import type { Crew } from '../batch_runner.ts'
import { concurrently } from './concurrently.ts'

/** An intent and which of the batch's rows it is, from 0. */
export interface Numbered {
  readonly intent: Intent
  readonly number: number
}

/** Milliseconds between two looks at all payments: soon at first, as most payments take seconds. */
const firstPause = 250
const longestPause = 5_000

export const isOnItsWay = ({ status, payment_status }: Intent): boolean =>
  status === 'settled' && !terminalStatuses.some((end) => end === payment_status)

interface Watch {
  /** The rows to watch, in the same order each time. */
  readonly pending: () => Iterable<Numbered>
  readonly concurrency: number
  /** Milliseconds. */
  readonly timeout: number
}

/** Yields each intent when its payment has ended; those that have not, when the time is up or the batch stops. */
export async function* awaitEnds(crew: Crew, { pending, concurrency, timeout }: Watch): AsyncGenerator<Numbered, void> {
  const deadline = Date.now() + timeout
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    let open = 0
    const look = async ({ intent, number }: Numbered) => ({
      intent: Date.now() < deadline ? await lookAt(intent, crew) : intent,
      number,
    })
    for await (const looked of concurrently(pending(), concurrency, look)) {
      if (isOnItsWay(looked.intent)) open += 1
      else yield looked
    }
    if (open === 0) return
    if (crew.stopped || Date.now() >= deadline) break
    await sleep(Math.min(pause, deadline - Date.now()), crew.context.signal).catch(() => {})
  }
  yield* pending()
}

/** As the service has it now; what was known, when it does not answer: the next look may be luckier. */
async function lookAt(intent: Intent, crew: Crew): Promise<Intent> {
  const { journal, client } = crew
  const known = crew.reread(intent)
  if (!isOnItsWay(known) || known.payment_id === null || !(await crew.ready())) return known
  try {
    const payment = await client.call('payments.get', { params: { id: known.payment_id } })
    if (payment.status !== known.payment_status) journal.markSettled(known.id, payment)
    return { ...known, payment_status: payment.status, error: payment.error_message }
  } catch (error) {
    const { exit } = failureOf(error, false)
    if (exit === 'unauthenticated' || exit === 'forbidden') crew.fail(error)
    return known
  }
}
