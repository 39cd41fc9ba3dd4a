import { v7 } from 'uuid'
import type { Clock } from './clock.ts'

export type Ids = () => string

/** Time-ordered UUIDs on the sandbox's clock: later calls give greater ids, within one millisecond too. */
export function idsOn(clock: Clock): Ids {
  let last = 0
  let seq = 0
  return () => {
    const now = clock.now()
    if (now > last) {
      last = now
      seq = 0
    }
    return v7({ msecs: last, seq: seq++ })
  }
}
