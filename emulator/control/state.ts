import { type ControlOutputOf, DeliveryStatus, PaymentStatus } from '../../src/contract/index.ts'
import type { ControlContext } from '../context.ts'
import { version } from '../version.ts'
import type { World } from '../world.ts'
import { clockState } from './clock.ts'
import { fees, fxState, railStates } from './settings.ts'

export function state(_: unknown, context: ControlContext): ControlOutputOf<'control.state'> {
  const { world } = context
  const { counts } = world.store
  const { balanced, unfinished } = checkLedger(world)
  const suspended = counts.suspended()
  return {
    version,
    world: world.id,
    seed: world.settings.seed(),
    settle_ms: world.options.manual ? null : world.options.settleMs,
    clock: clockState(world),
    users: counts.users(),
    accounts: counts.accounts(),
    payments: withZeros(PaymentStatus.enum, counts.payments()),
    unfinished,
    subscriptions: { active: counts.subscriptions() - suspended, suspended },
    deliveries: withZeros(DeliveryStatus.enum, counts.deliveries()),
    rails: railStates(null, context),
    fees: fees(null, context),
    fx: fxState(null, context),
    ledger_balanced: balanced,
  }
}

export async function reset(_: unknown, context: ControlContext): Promise<ControlOutputOf<'control.reset'>> {
  return state(null, { ...context, world: await context.worlds.reset(context.name) })
}

const withZeros = <Name extends string>(names: readonly Name[], counts: Partial<Record<Name, number>>) =>
  Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])) as Record<Name, number>

/** Checks that no money was lost or doubled. */
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
