import { type Comparison, money } from '../../src/contract/index.ts'
import { shownHappening } from '../observation/happenings.ts'
import type { RecordedWorld } from '../observation/recorded_world.ts'
import type { LedgerBalance } from '../store/ledger.ts'
import { type ComparedItem, compareTimelines } from './compare.ts'
import { type Item, timelineOf } from './roots.ts'

/** One of two worlds to compare. */
export interface Compared<W> {
  readonly world: W
  /**
   * Number of this world's last request before the other world was forked from it; 0 if the other world is not a fork
   * of this world.
   */
  readonly shared: number
}

export type Differences = Pick<Comparison, 'same' | 'counts' | 'items' | 'balances'>

/** Compares the events and the balances of two worlds. `all`: lists equal events too. */
export function compareWorlds(
  first: Compared<RecordedWorld>,
  second: Compared<RecordedWorld>,
  { all }: { readonly all: boolean },
): Differences {
  const items = compareTimelines(timelineOf(first.world, first.shared), timelineOf(second.world, second.shared))
  const counts = { same: 0, added: 0, removed: 0, changed: 0 }
  for (const { change } of items) counts[change] += 1
  const differing = items.filter(({ change }) => change !== 'same')
  const balances = differingBalances(first.world, second.world)
  const same = differing.length === 0 && balances.length === 0
  return { same, counts, items: (all ? items : differing).map(shown), balances }
}

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

function differingBalances({ store }: RecordedWorld, other: RecordedWorld): Comparison['balances'] {
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
