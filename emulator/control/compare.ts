import type { ForkedFrom } from '../../src/contract/index.ts'
import type { ControlHandlers } from '../http/context.ts'
import type { LiveWorld } from '../worlds/live_world.ts'
import type { VisibleWorlds } from '../worlds/visible_worlds.ts'
import { comparisonOf, type Pair } from './readings.ts'

export const compare: ControlHandlers['control.compare'] = async (
  { query: { world: names, all } },
  { worlds, gone },
) => {
  const [one = '', other = ''] = names
  let [first, second] = [worlds.find(one), worlds.find(other)]
  const whenSettled = <T>(read: (pair: Pair) => T): Promise<T> =>
    whenBothSettled([one, other], worlds, (now) => {
      ;[first, second] = now
      return read([
        { world: first.world, shared: sharedRequests(first, second, worlds) },
        { world: second.world, shared: sharedRequests(second, first, worlds) },
      ])
    })
  const team = worlds.ownerOf(first.name)
  const compared = await comparisonOf(whenSettled, { team, gone, all: all === 'true' })
  return { worlds: [first.name, second.name], ancestor: ancestorOf(first, second, worlds), ...compared }
}

/**
 * Runs `work` when neither world has uncommitted writes. During the wait for the second world, the first world may get
 * new uncommitted writes.
 */
async function whenBothSettled<T>(
  [one, other]: readonly [string, string],
  worlds: VisibleWorlds,
  work: (pair: [LiveWorld, LiveWorld]) => T,
): Promise<T> {
  for (;;) {
    for (const name of [one, other]) await worlds.whenSettled(name, () => {})
    const [first, second] = [worlds.find(one), worlds.find(other)]
    if (!first.world.database.settled && !second.world.database.settled) return work([first, second])
  }
}

/**
 * Number of a world's last request before `other` was forked from that world; 0 if `other` is not a fork of that world.
 */
function sharedRequests({ world }: LiveWorld, other: LiveWorld, worlds: VisibleWorlds): number {
  const fork = lineage(other, worlds).find(({ id }) => id === world.id)
  if (!fork) return 0
  if (fork.request !== undefined) return Number(fork.request.slice(1))
  // A request came before the fork if the fork has the payment that the request made.
  const made = world.requests.list({
    matches: ({ payment, replayed }) =>
      payment !== null && !replayed && other.world.store.payments.get(payment) !== undefined,
  })
  return made.at(-1)?.number ?? 0
}

/** The known points at which a world and its ancestors were forked, the latest first. */
function lineage(live: LiveWorld, worlds: VisibleWorlds): ForkedFrom[] {
  const points: ForkedFrom[] = []
  let from = live.forkedFrom
  while (from && points.length < 1000) {
    points.push(from)
    const { world, id }: ForkedFrom = from
    from = worlds.get(world, id)?.forkedFrom ?? null
  }
  return points
}

function ancestorOf(first: LiveWorld, second: LiveWorld, worlds: VisibleWorlds): string | null {
  const known = [{ world: first.name, id: first.world.id }, ...lineage(first, worlds)]
  const others = [{ world: second.name, id: second.world.id }, ...lineage(second, worlds)]
  return known.find(({ id }) => others.some((other) => other.id === id))?.world ?? null
}
