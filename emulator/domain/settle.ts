import { Channel, type SettleTime, type SettleTimes } from '../../src/contract/index.ts'

/** Milliseconds of a usual payment without --settle, or on a manual rail. */
export const usualSettle = 1000

/** Milliseconds that a new payment takes. `draw` returns a random integer, much larger than a range. */
export function drawnSettle(time: SettleTime, draw: () => number): number {
  if (typeof time !== 'object') return longestSettle(time)
  return time.from + (draw() % (time.to - time.from + 1))
}

/** The longest time of a payment, in milliseconds. */
export function longestSettle(time: SettleTime): number {
  if (time === 'manual') return usualSettle
  return typeof time === 'object' ? time.to : time
}

/** The first rail whose range ends before it begins, and the problem in words; null: none. */
export function rangeFault(times: Partial<SettleTimes>): { readonly rail: Channel; readonly message: string } | null {
  for (const rail of Channel.enum) {
    const time = times[rail]
    if (typeof time !== 'object' || time.from <= time.to) continue
    return { rail, message: `from (${time.from}) is larger than to (${time.to})` }
  }
  return null
}

/** True if a rail is manual and no payment over the other rail takes time: a running clock would only disturb. */
export function needsNoTime(times: SettleTimes): boolean {
  const all = Channel.enum.map((rail) => times[rail])
  return all.includes('manual') && all.every((time) => time === 'manual' || longestSettle(time) === 0)
}
