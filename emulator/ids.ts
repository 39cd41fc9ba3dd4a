import { v7 } from 'uuid'
import type { Clock } from './clock.ts'
import { machineRandom, type RandomBytes } from './random.ts'

export type Ids = () => string

const bytesPerId = 16
/** Ids per draw of random bytes: a draw for each would cost more than the id. */
const idsPerDraw = 256

/** Makes UUIDv7s with the world's time. Later ids are greater, even within one millisecond. */
export function idsOn(clock: Clock, draw: RandomBytes = machineRandom.ids): Ids {
  let bytes: Uint8Array = Buffer.alloc(0)
  let used = 0
  let last = 0
  let seq = 0
  return () => {
    const now = clock.now()
    if (now > last) {
      last = now
      seq = 0
    }
    if (used === bytes.length) {
      bytes = draw(bytesPerId * idsPerDraw)
      used = 0
    }
    const random = bytes.subarray(used, used + bytesPerId)
    used += bytesPerId
    return v7({ msecs: last, seq: seq++, random })
  }
}
