import type { Compared, Differences } from '../comparison/worlds.ts'
import { copyOf, type WorldCopy } from '../observation/recorded_world.ts'
import { inThread, largeWorld } from '../thread.ts'
import type { World } from '../worlds/world.ts'

/** Input of a thread that makes the story of a world or the comparison of two worlds. */
export type Reading =
  | { readonly kind: 'story'; readonly world: WorldCopy }
  | {
      readonly kind: 'comparison'
      readonly first: Compared<WorldCopy>
      readonly second: Compared<WorldCopy>
      readonly all: boolean
    }

const isLarge = ({ database }: World): boolean => database.size >= largeWorld

// Each module is loaded at its first use: the start of the emulator needs none of them.

/** The story of a world, whose writes must be committed. A large world is read in a thread. */
export async function storyText(world: World): Promise<string> {
  if (isLarge(world)) return inThread({ kind: 'story', world: copyOf(world) } satisfies Reading)
  const { storyOf } = await import('../observation/story.ts')
  return storyOf(world)
}

/** The comparison of two worlds, whose writes must be committed. Large worlds are compared in a thread. */
export async function comparisonOf(
  first: Compared<World>,
  second: Compared<World>,
  { all }: { readonly all: boolean },
): Promise<Differences> {
  if (isLarge(first.world) || isLarge(second.world)) {
    const copied = (one: Compared<World>) => ({ ...one, world: copyOf(one.world) })
    const reading: Reading = { kind: 'comparison', first: copied(first), second: copied(second), all }
    return inThread(reading)
  }
  const { compareWorlds } = await import('../comparison/worlds.ts')
  return compareWorlds(first, second, { all })
}
