import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import type { Clock } from './clock.ts'

export type Ids = () => string

/** Random bytes of one id, and how many ids' worth is drawn at a time. */
const size = 16
const stock = 256

/** Time-ordered UUIDs on the sandbox's clock: later calls give greater ids, within one millisecond too. */
export function idsOn(clock: Clock): Ids {
  const bytes = new Uint8Array(size * stock)
  let used = bytes.length
  let last = 0
  let seq = 0
  return () => {
    const now = clock.now()
    if (now > last) {
      last = now
      seq = 0
    }
    if (used === bytes.length) {
      randomFillSync(bytes)
      used = 0
    }
    const random = bytes.subarray(used, used + size)
    used += size
    return v7({ msecs: last, seq: seq++, random })
  }
}
