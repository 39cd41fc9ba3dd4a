import { type ControlOutputOf, DeliveryStatus, PaymentStatus } from '../../src/contract/index.ts'
import type { ControlContext } from '../http/context.ts'
import { seedName } from '../options.ts'
import type { Image } from '../store/image.ts'
import { version } from '../version.ts'
import type { World } from '../worlds/world.ts'
import { clockState } from './clock.ts'
import { fees, fxState, railStates } from './settings.ts'

export const state = (_: unknown, context: ControlContext): ControlOutputOf<'control.state'> =>
  stateWith(counted(context.world), context)

/** Counts by image: a world just reset to an image has the same counts. */
const countedImages = new WeakMap<Image, Counted>()

export async function reset(
  _: unknown,
  { worlds, name, ...rest }: ControlContext,
): Promise<ControlOutputOf<'control.reset'>> {
  const live = await worlds.reset(name)
  const [{ world }, image] = [live, live.image()]
  const known = image && countedImages.get(image)
  const numbers = known ?? counted(world)
  if (image && !known) countedImages.set(image, numbers)
  return stateWith(numbers, { ...rest, worlds, name, world })
}

type Counted = ReturnType<typeof counted>

/** Counts that need a scan of the tables. */
function counted(world: World) {
  const { counts } = world.store
  const { balanced, unfinished } = checkLedger(world)
  const suspended = counts.suspended()
  return {
    users: counts.users(),
    accounts: counts.accounts(),
    payments: withZeros(PaymentStatus.enum, counts.payments()),
    unfinished,
    subscriptions: { active: counts.subscriptions() - suspended, suspended },
    deliveries: withZeros(DeliveryStatus.enum, counts.deliveries()),
    ledger_balanced: balanced,
  }
}

function stateWith(numbers: Counted, context: ControlContext): ControlOutputOf<'control.state'> {
  const { world } = context
  const { users, accounts, payments, unfinished, subscriptions, deliveries, ledger_balanced } = numbers
  return {
    version,
    world: world.id,
    seed: seedName(world.settings.seed()),
    settle_ms: world.settle,
    lenient_iban: world.settings.lenientIban(),
    clock: clockState(world),
    users,
    accounts,
    payments,
    unfinished,
    subscriptions,
    deliveries,
    rails: railStates(null, context),
    fees: fees(null, context),
    fx: fxState(null, context),
    ledger_balanced,
  }
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
