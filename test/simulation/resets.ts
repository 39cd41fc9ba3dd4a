import { Random } from './random.ts'
import type { Operation } from './script.ts'

// When the world of the service is reset, if at all: drawn by itself, so that all else of a seed stays as it is.

const pays = new Set<Operation['do']>(['send', 'batch', 'retry batch', 'resume batch', 'resume', 'resume one'])

/** The operations with resets among them, in the middle of payments and soon after. */
export function withResets(seed: string, operations: readonly Operation[]): readonly Operation[] {
  const random = new Random(seed, 'resets')
  const paying = operations.filter((operation) => pays.has(operation.do))
  if (paying.length === 0 || !random.chance(0.13)) return operations
  const resets = Array.from({ length: random.integer(1, 4) }, (_, made): Operation => {
    const { at } = random.pick(paying)
    const after = random.chance(0.7) ? random.integer(0, 60) : random.integer(0, 2000)
    return { id: operations.length + made + 1, at: at + after, do: 'reset service' }
  })
  return [...operations, ...resets].sort((one, other) => one.at - other.at)
}
