import { type Comparison, type ForkedFrom, money } from '../../src/contract/index.ts'
import type { ComparedItem } from '../comparison/compare.ts'
import type { Item } from '../comparison/roots.ts'
import type { ControlHandlers } from '../http/context.ts'
import { shownHappening } from '../observation/happenings.ts'
import type { LedgerBalance } from '../store/ledger.ts'
import type { LiveWorld } from '../worlds/live_world.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'

export const compareHandlers = {
  async 'control.compare'({ query: { world: names, all } }, { worlds }) {
    // Loaded at the first comparison: few emulators make any.
    const [{ compareTimelines }, { timelineOf }] = await Promise.all([
      import('../comparison/compare.ts'),
      import('../comparison/roots.ts'),
    ])
    const [first, second] = names.map((name) => worlds.find(name)) as [LiveWorld, LiveWorld]
    const items = compareTimelines(
      timelineOf(first.world, sharedRequests(first, second, worlds)),
      timelineOf(second.world, sharedRequests(second, first, worlds)),
    )
    const counts = { same: 0, added: 0, removed: 0, changed: 0 }
    for (const { change } of items) counts[change] += 1
    const differing = items.filter(({ change }) => change !== 'same')
    const balances = differingBalances(first.world, second.world)
    return {
      worlds: [first.name, second.name],
      ancestor: ancestorOf(first, second, worlds),
      same: differing.length === 0 && balances.length === 0,
      counts,
      items: (all === 'true' ? items : differing).map(shown),
      balances,
    }
  },
} satisfies Partial<ControlHandlers>

const shown = ({ change, first, second, differences }: ComparedItem): Comparison['items'][number] => ({
  change,
  first: first && shownItem(first),
  second: second && shownItem(second),
  differences: [...differences],
})

const shownItem = ({ happening, paymentId }: Item) => ({
  ...shownHappening(happening),
  details: { ...happening.details },
  payment_id: paymentId,
})

/** Number of a world's last request before the other world was forked from it; 0 if the other is not its fork. */
function sharedRequests({ world }: LiveWorld, other: LiveWorld, worlds: Worlds): number {
  const fork = lineage(other, worlds).find(({ id }) => id === world.id)
  if (!fork) return 0
  if (fork.request !== undefined) return Number(fork.request.slice(1))
  // A request came before the fork if the fork has the payment that it made.
  const made = world.requests.list({
    matches: ({ payment, replayed }) =>
      payment !== null && !replayed && other.world.store.payments.get(payment) !== undefined,
  })
  return made.at(-1)?.number ?? 0
}

/** The known points at which a world and its ancestors were forked, the latest first. */
function lineage(live: LiveWorld, worlds: Worlds): ForkedFrom[] {
  const points: ForkedFrom[] = []
  let from = live.forkedFrom
  while (from && points.length < 1000) {
    points.push(from)
    const { world, id }: ForkedFrom = from
    from = worlds.get(world, id)?.forkedFrom ?? null
  }
  return points
}

function ancestorOf(first: LiveWorld, second: LiveWorld, worlds: Worlds): string | null {
  const known = [{ world: first.name, id: first.world.id }, ...lineage(first, worlds)]
  const others = [{ world: second.name, id: second.world.id }, ...lineage(second, worlds)]
  return known.find(({ id }) => others.some((other) => other.id === id))?.world ?? null
}

function differingBalances({ store }: World, other: World): Comparison['balances'] {
  const nameOf = ({ owner, purpose, currency }: LedgerBalance) => `${owner} ${purpose} ${currency}`
  const balances = new Map(store.ledger.balances().map((one) => [nameOf(one), one]))
  const others = new Map(other.store.ledger.balances().map((one) => [nameOf(one), one]))
  const all = new Map([...others, ...balances])
  return [...all].flatMap(([name, { owner, purpose, currency }]) => {
    const [first, second] = [balances.get(name)?.balance ?? 0, others.get(name)?.balance ?? 0]
    if (first === second) return []
    return [{ owner, purpose, first: money(first, currency), second: money(second, currency) } as const]
  })
}
