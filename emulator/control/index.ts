import type { ControlEndpoints, ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import type { Sandbox } from '../sandbox.ts'

export interface ControlContext {
  readonly sandbox: Sandbox
  readonly version: string
}

/** The emulator's own endpoints. They run outside a transaction: steering the clock makes many of its own. */
export type ControlHandlers = {
  readonly [Id in keyof ControlEndpoints]: (
    input: ControlInputOf<Id>,
    context: ControlContext,
  ) => ControlOutputOf<Id> | Promise<ControlOutputOf<Id>>
}

export const controlHandlers: ControlHandlers = {
  'control.health': (_, { version }) => ({ status: 'ok', version, pid: process.pid }),
  'control.ledger': (_, { sandbox }) => checkLedger(sandbox),
  'control.clock.get': (_, { sandbox }) => clockState(sandbox),
  'control.clock.advance': async ({ body }, { sandbox }) => {
    sandbox.advanceClock(body.ms)
    await sandbox.database.settled
    return clockState(sandbox)
  },
}

const clockState = ({ clock }: Sandbox): ControlOutputOf<'control.clock.get'> => ({
  now: new Date(clock.now()).toISOString(),
  offset_ms: clock.offset,
})

/** The invariant of the whole emulator: nothing lost, nothing doubled. */
export function checkLedger({ store }: Sandbox): ControlOutputOf<'control.ledger'> {
  const problems = store.ledger.problems()
  return {
    balanced: problems.length === 0,
    problems,
    payments: store.payments.count(),
    entries: store.ledger.entries(),
    unfinished: store.payments.unfinished(),
  }
}
