import { Random } from '../random.ts'
import { lostPayment, unconnected, unheardPayment } from './faults.ts'
import { phones } from './orders.ts'
import type { CallerOperation, Operation } from './script.ts'

// Callers that are cut off from the service. Each is drawn separately, so that the other draws of a seed stay the same.

/**
 * Adds payments that are in doubt, and whose resumption is cut off again: some were made, and some would be refused.
 * Some tails lose the answer to the removal of their subscription.
 */
export function withCutOff(seed: string, operations: readonly Operation[]): readonly Operation[] {
  const random = new Random(seed, 'cut off')
  const all = operations.map((operation) => (operation.do === 'tail' ? unheard(operation, random) : operation))
  let at = all.at(-1)?.at ?? 0
  for (let left = random.integer(0, 2); left > 0; left -= 1) {
    const caller = random.pick(['ana', 'bot', 'laura'] as const)
    const isMade = random.chance(0.5)
    const name = `cut-${left}`
    const order = { order: `${caller}-${name}`, to: isMade ? fine : unknown, amount: random.integer(1, 1_000_000) }
    const send = { do: 'send', caller, key: name, ...order } as const
    const resume = { do: 'resume one', caller, newest: 0 } as const
    at += 120_000
    all.push({ ...send, id: 5000 + 2 * left, at, faults: isMade ? unheardPayment(send) : [lostPayment(send)] })
    at += 60_000
    all.push({ ...resume, id: 5001 + 2 * left, at, faults: isMade ? unconnected(resume) : [lostPayment(resume)] })
  }
  return all
}

/** A phone with a holder, and a phone without a holder. */
const [fine, unknown] = [phones.fine[0] ?? '', phones.unknown[0] ?? '']

/**
 * Positions of a tail's request to remove its subscription, among the requests of the tail: the more checks of the
 * history, the later.
 */
const removals = [5, 7, 9]

function unheard<Tail extends CallerOperation>(tail: Tail, random: Random): Tail {
  if (!random.chance(0.4)) return tail
  const lost = { request: random.pick(removals), fault: 'answer lost' } as const
  return { ...tail, faults: [...(tail.faults ?? []), lost] }
}
