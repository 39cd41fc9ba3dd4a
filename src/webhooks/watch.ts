import type { Client } from '../client/client.ts'
import { sleep } from '../client/retry.ts'
import type { Found, Recovery } from './recover.ts'
import type { TemporarySubscription } from './temporary_subscription.ts'

interface Watch {
  readonly client: Client
  readonly subscription: TemporarySubscription
  readonly recovery: Recovery | undefined
  /** Milliseconds between two looks. */
  readonly interval: number
  readonly signal: AbortSignal
  readonly onMissed: (found: Found) => void
  readonly note: (text: string) => void
}

/** Sees to it that events go on coming, and looks for those that did not, until the signal aborts. Never rejects. */
export async function keepWatch({ client, subscription, recovery, interval, signal, onMissed, note }: Watch) {
  let isTroubled = false
  while (await passed(interval, signal)) {
    try {
      const done = await subscription.restore(client)
      if (done !== undefined) note(done)
      if (recovery) onMissed(await recovery.look(client))
      if (isTroubled) note('The service answers again.')
      isTroubled = false
    } catch (error) {
      if (signal.aborted) return
      if (!isTroubled) note(`Still listening, but the service cannot be asked: ${(error as Error).message}`)
      isTroubled = true
    }
  }
}

const passed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, signal).then(
    () => true,
    () => false,
  )
