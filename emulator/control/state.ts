import { type ControlOutputOf, formatMoney, identityProof } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { preciseTimestamp } from '../domain/time.ts'
import type { ControlContext, ControlHandlers } from '../http/context.ts'
import { seedName } from '../options.ts'
import type { Image } from '../store/image.ts'
import type { MoneyId } from '../store/queries.ts'
import { version } from '../version.ts'
import type { LiveWorld } from '../worlds/live_world.ts'
import type { World } from '../worlds/world.ts'
import { clockState } from './clock.ts'
import type { Counts } from './counts.ts'
import { countsOf, ledgerOf } from './readings.ts'
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

  async 'control.state'(_, context) {
    const withCounts = stateWithoutCounts(context.world)
    return withCounts(await countsOf(context))
  },

  async 'control.reset'(_, { worlds, name, gone }) {
    const live = await worlds.reset(name)
    const withCounts = stateWithoutCounts(live.world)
    return withCounts(await countsAfterReset(live, { gone, worlds }))
  },

  'control.ledger': (_, context) => ledgerOf(context),

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

/** Counts by image: a world that was just reset to an image has the counts of that image. */
const countedImages = new WeakMap<Image, Counts>()

async function countsAfterReset(
  { name, world, image: resetImage }: LiveWorld,
  { gone, worlds }: Pick<ControlContext, 'gone' | 'worlds'>,
): Promise<Counts> {
  const image = resetImage()
  const known = image && countedImages.get(image)
  if (known) return known
  const counts = await countsOf({ world, worlds, name, gone }, image)
  if (image) countedImages.set(image, counts)
  return counts
}

/** Reads the state of a world, except for the counts; the returned function adds them. */
function stateWithoutCounts(world: World): (counts: Counts) => ControlOutputOf<'control.state'> {
  const settings = {
    version,
    world: world.id,
    seed: seedName(world.settings.get('seed')),
    settle_ms: world.settle,
    lenient_iban: world.settings.get('lenientIban'),
    clock: clockState(world),
  }
  const money = { rails: railStates(world), fees: fees(world), fx: fxState(world) }
  return ({ ledger_balanced, ...counts }) => ({ ...settings, ...counts, ...money, ledger_balanced })
}

const foundMoney = (money: MoneyId) => ({ id: money.id, about: aboutMoney(money) })

/** Amount, status and time of a payment or credit. */
export const aboutMoney = ({ amount, currency, status, created_at }: Omit<MoneyId, 'id'>): string =>
  `${formatMoney(amount, currency)}, ${status}, ${preciseTimestamp(created_at)}`
