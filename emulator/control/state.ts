import {
  type ControlOutputOf,
  DeliveryStatus,
  formatMoney,
  identityProof,
  PaymentStatus,
} from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { preciseTimestamp } from '../domain/time.ts'
import type { ControlHandlers } from '../http/context.ts'
import { seedName } from '../options.ts'
import type { Image } from '../store/image.ts'
import type { MoneyId } from '../store/queries.ts'
import { version } from '../version.ts'
import type { World } from '../worlds/world.ts'
import { clockState } from './clock.ts'
import { fees, fxState, railStates } from './settings.ts'

export const stateHandlers = {
  'control.health': ({ query }, { worlds }) => {
    if (query.ready === 'true' && worlds.isDraining) throw new Refusal(503)
    const count = worlds.count()
    const { name: shard } = worlds.shard
    return { status: 'ok', version, pid: process.pid, shard, ...(count && { worlds: count }) }
  },

  async 'control.metrics'(_, { worlds }) {
    const { scrape } = await import('../metrics/scrape.ts')
    return Buffer.from(await scrape(worlds))
  },

  'control.identity': ({ query }, { identitySecret, world }) => ({
    proof: identityProof(identitySecret, query.challenge),
    world: world.id,
  }),

  'control.state': (_, { world }) => stateWith(counted(world), world),

  async 'control.reset'(_, { worlds, name }) {
    const live = await worlds.reset(name)
    const [{ world }, image] = [live, live.image()]
    const known = image && countedImages.get(image)
    const numbers = known ?? counted(world)
    if (image && !known) countedImages.set(image, numbers)
    return stateWith(numbers, world)
  },

  'control.ledger': (_, { world }) => checkLedger(world),

  'control.ids.find'({ query: { kind, part } }, { world }) {
    const { ids } = world.store
    switch (kind) {
      case 'payment':
        return (part === 'last' ? [ids.newestPayment()].filter((one) => one !== undefined) : ids.payments(part)).map(
          foundMoney,
        )
      case 'scheduled_credit':
        return ids.scheduledCredits(part).map(foundMoney)
      case 'account':
        return ids.accounts(part).map(({ id, iban, currency }) => ({ id, about: `${iban}, ${currency}` }))
      case 'subscription':
        return ids.subscriptions(part).map(({ id, url }) => ({ id, about: url }))
      case 'user':
        return ids.users(part).map(({ id, name }) => ({ id, about: name }))
    }
  },
} satisfies Partial<ControlHandlers>

/** Counts by image: a world just reset to an image has the same counts. */
const countedImages = new WeakMap<Image, Counted>()

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

function stateWith(numbers: Counted, world: World): ControlOutputOf<'control.state'> {
  const { users, accounts, payments, unfinished, subscriptions, deliveries, ledger_balanced } = numbers
  return {
    version,
    world: world.id,
    seed: seedName(world.settings.get('seed')),
    settle_ms: world.settle,
    lenient_iban: world.settings.get('lenientIban'),
    clock: clockState(world),
    users,
    accounts,
    payments,
    unfinished,
    subscriptions,
    deliveries,
    rails: railStates(world),
    fees: fees(world),
    fx: fxState(world),
    ledger_balanced,
  }
}

const withZeros = <Name extends string>(names: readonly Name[], counts: Partial<Record<Name, number>>) =>
  Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])) as Record<Name, number>

/** Checks that no money was lost or duplicated. */
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

const foundMoney = (money: MoneyId) => ({ id: money.id, about: aboutMoney(money) })

/** Amount, status and time of a payment or credit. */
export const aboutMoney = ({ amount, currency, status, created_at }: Omit<MoneyId, 'id'>): string =>
  `${formatMoney(amount, currency)}, ${status}, ${preciseTimestamp(created_at)}`
