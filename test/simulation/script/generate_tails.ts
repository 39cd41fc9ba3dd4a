import type { Random } from '../random.ts'
import { type Known, type Planned, sendOf } from './orders.ts'
import type { CallerName } from './script.ts'

/** Draws a tail that runs while payments are made, and perhaps again later. */
export function tailOf(random: Random, known: Known, caller: CallerName): Planned {
  const again = { do: 'tail', caller, for: random.integer(5000, 90_000) } as const
  for (let left = random.integer(0, 3); left > 0; left -= 1) {
    known.rush.push({ ...sendOf(random, known, { caller }), caller })
  }
  const isSuspended = random.chance(0.5)
  if (isSuspended) known.rush.push({ do: 'suspend subscriptions', caller })
  if (random.chance(0.2)) known.after.push({ do: 'credit', amount: random.integer(1, 50_000_000) })
  if (random.chance(0.5)) known.after.push(again)
  return {
    ...{ do: 'tail', caller, for: isSuspended || random.chance(0.2) ? random.integer(90_000, 900_000) : again.for },
    ...(random.chance(0.15) && { limit: random.integer(1, 4) }),
    ...(random.chance(0.25) && { forwardTo: random.integer(0, 1) }),
    ...(random.chance(0.4) && { save: true }),
    ...(random.chance(0.3) && { slow: random.integer(1000, 100_000) }),
  }
}
