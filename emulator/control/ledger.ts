import type { ControlOutputOf } from '../../src/contract/index.ts'
import type { World } from '../world.ts'

/** The invariant of the whole emulator: nothing lost, nothing doubled. */
export function checkLedger({ store }: World): ControlOutputOf<'control.ledger'> {
  const problems = store.ledger.problems()
  return {
    balanced: problems.length === 0,
    problems,
    payments: store.payments.count(),
    entries: store.ledger.entries(),
    unfinished: store.payments.unfinished(),
  }
}
