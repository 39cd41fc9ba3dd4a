import { Random } from '../random.ts'
import { places } from './places.ts'
import type { Operation } from './script.ts'

// Resets of the service's world, drawn separately, so that the other draws of a seed stay the same.

const pays = new Set<Operation['do']>(['send', 'batch', 'retry batch', 'resume batch', 'resume', 'resume one'])

/**
 * Adds resets: while a request of a paying operation is on its way, or at most two seconds after the operation begins.
 */
export function withResets(seed: string, operations: readonly Operation[]): readonly Operation[] {
  const random = new Random(seed, 'resets')
  const paying = operations.filter((operation) => pays.has(operation.do))
  if (paying.length === 0 || !random.chance(0.25)) return operations
  // A caller that must log in again does not pay in the new world.
  const withToken = paying.filter((operation) => 'caller' in operation && !places[operation.caller].logsIn)
  const all = [...operations]
  for (let left = random.integer(2, 5); left > 0; left -= 1) {
    const picked = random.pick(withToken.length > 0 && random.chance(0.6) ? withToken : paying)
    const at = all.findIndex(({ id }) => id === picked.id)
    const operation = all[at] as Operation
    if (random.chance(0.6)) all[at] = disturbed(operation, random.integer(2, 7))
    else all.push(resetAfter(operation, { id: all.length + 1, ms: random.integer(0, random.chance(0.7) ? 60 : 2000) }))
  }
  return all.sort((one, other) => one.at - other.at)
}

function disturbed(operation: Operation, request: number): Operation {
  if (!('caller' in operation)) return operation
  return { ...operation, faults: [...(operation.faults ?? []), { request, fault: 'world reset' }] }
}

const resetAfter = ({ at }: Operation, { id, ms }: { readonly id: number; readonly ms: number }): Operation => ({
  ...{ id, at: at + ms, do: 'reset service' },
})
