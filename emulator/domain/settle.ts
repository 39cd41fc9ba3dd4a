import { Channel, type SettleTime, type SettleTimes } from '../../src/contract/index.ts'

/** Milliseconds of a usual payment without --settle, and of one that waits for moves of the clock. */
export const usualSettle = 1000

/** Milliseconds that a new payment takes. `draw` gives a random integer, much larger than a range. */
export function drawnSettle(time: SettleTime, draw: () => number): number {
  if (typeof time !== 'object') return longestSettle(time)
  return time.from + (draw() % (time.to - time.from + 1))
}

/** Milliseconds that a payment takes at most. */
export function longestSettle(time: SettleTime): number {
  if (time === 'manual') return usualSettle
  return typeof time === 'object' ? time.to : time
}

/** The first rail whose range ends before it begins, and why that is wrong; null: none. */
export function rangeFault(times: Partial<SettleTimes>): { readonly rail: Channel; readonly message: string } | null {
  for (const rail of Channel.enum) {
    const time = times[rail]
    if (typeof time !== 'object' || time.from <= time.to) continue
    return { rail, message: `from (${time.from}) is larger than to (${time.to})` }
  }
  return null
}

/** True if a rail is manual and no payment over the other one needs time to pass: a clock that runs would only disturb. */
export function needsNoTime(times: SettleTimes): boolean {
  const all = Channel.enum.map((rail) => times[rail])
  return all.includes('manual') && all.every((time) => time === 'manual' || longestSettle(time) === 0)
}
