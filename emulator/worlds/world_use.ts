import type { Clock } from '../clock.ts'
import type { Scheduler } from '../scheduler.ts'
import type { LiveWorld, Mutable } from './live_world.ts'

/**
 * Counts a request to a world as under way; returns a function to call when the request has ended: the world's idle time
 * starts then. `clock` is the machine's clock; `expiry` ends idle worlds.
 */
export function holding(
  live: Mutable<LiveWorld> | undefined,
  { clock, expiry }: { readonly clock: Clock; readonly expiry: Scheduler },
): () => void {
  if (!live) return () => {}
  live.answering += 1
  return () => {
    live.answering -= 1
    live.usedAt = clock.now()
    live.keptOpenAt = live.usedAt
    if (live.ttl !== null) expiry.wake(live.usedAt + live.ttl)
  }
}

/**
 * Keeps a world from expiring while `work` is under way; the world's idle time starts afterwards. `clock` is the
 * machine's clock.
 */
export async function whileBusy<T>(live: Mutable<LiveWorld>, work: () => T | Promise<T>, clock: Clock): Promise<T> {
  live.busy += 1
  try {
    return await work()
  } finally {
    live.busy -= 1
    live.usedAt = clock.now()
    live.keptOpenAt = live.usedAt
  }
}
