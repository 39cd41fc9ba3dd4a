import type { ControlOutputOf, ExportedSeed } from '../../src/contract/index.ts'
import type { Compared, Differences } from '../comparison/worlds.ts'
import type { ControlContext } from '../http/context.ts'
import { copyOf, type WorldCopy } from '../observation/recorded_world.ts'
import { type SeedPayments, seedOf, seedWithoutPayments } from '../seed_file/export.ts'
import { type Image, imageOf } from '../store/image.ts'
import { inThread, largeWorld, type ThreadCaller } from '../thread.ts'
import type { World } from '../worlds/world.ts'
import { checkLedger } from './counts.ts'

/** Input of a thread that reads whole tables of a world. */
export type Reading =
  | { readonly kind: 'story'; readonly world: WorldCopy }
  | { readonly kind: 'ledger' | 'counts' | 'payments'; readonly image: Image }
  | {
      readonly kind: 'comparison'
      readonly first: Compared<WorldCopy>
      readonly second: Compared<WorldCopy>
      readonly all: boolean
    }

/** A world to read, and who reads it. */
type Read = Pick<ControlContext, 'world' | 'worlds' | 'name' | 'gone'>

/** True if work on all tables of the world takes long. */
export const isLarge = ({ database }: World): boolean => database.size >= largeWorld

const callerOf = ({ worlds, name, gone }: Omit<Read, 'world'>) => ({ team: worlds.options.owner?.(name) ?? null, gone })

// Each module is loaded at its first use: the start of the emulator needs none of them.

/** The story of a world. A large world is read in a thread. */
export async function storyText({ world, worlds, name, gone }: Read): Promise<string> {
  const { storyOf } = await import('../observation/story.ts')
  await worlds.settled(name, world.id)
  if (!isLarge(world)) return storyOf(world)
  const reading = async (): Promise<Reading> => {
    await worlds.settled(name, world.id)
    return { kind: 'story', world: copyOf(world) }
  }
  return inThread(reading, callerOf({ worlds, name, gone }))
}

/** Reads a copy of a world in a thread; `image`: the world's tables, if there is a copy already. */
export function readInThread<T>(
  kind: 'ledger' | 'counts',
  { world, worlds, name, gone, image }: Read & { readonly image?: Image | null },
): Promise<T> {
  const reading = async (): Promise<Reading> => {
    if (image) return { kind, image }
    await worlds.settled(name, world.id)
    return { kind, image: imageOf(world.database.connection) }
  }
  return inThread(reading, callerOf({ worlds, name, gone }))
}

/** Checks the ledger of a world. A large world is read in a thread. */
export function ledgerOf({ world, worlds, name, gone }: Read): Promise<ControlOutputOf<'control.ledger'>> {
  if (isLarge(world)) return readInThread('ledger', { world, worlds, name, gone })
  return Promise.resolve(checkLedger(world))
}

/** The seed that makes a world like this one. The payments of a large world are read in a thread. */
export async function exportedSeed({ world, worlds, name, gone }: Read): Promise<ExportedSeed> {
  if (!isLarge(world)) return seedOf(world)
  let withPayments: ReturnType<typeof seedWithoutPayments> | undefined
  const reading = async (): Promise<Reading> => {
    await worlds.settled(name, world.id)
    withPayments = seedWithoutPayments(world)
    return { kind: 'payments', image: imageOf(world.database.connection) }
  }
  const payments = await inThread<SeedPayments>(reading, callerOf({ worlds, name, gone }))
  return (withPayments as NonNullable<typeof withPayments>)(payments)
}

/** Two worlds to compare, both without uncommitted writes. */
export type Pair = readonly [Compared<World>, Compared<World>]

/** The comparison of two worlds. `pair` is called again when their copies are made. Large worlds are compared in a thread. */
export async function comparisonOf(
  pair: () => Promise<Pair>,
  { all, ...caller }: ThreadCaller & { readonly all: boolean },
): Promise<Differences> {
  const { compareWorlds } = await import('../comparison/worlds.ts')
  const [first, second] = await pair()
  if (!isLarge(first.world) && !isLarge(second.world)) return compareWorlds(first, second, { all })
  const reading = async (): Promise<Reading> => {
    const [one, other] = await pair()
    return { kind: 'comparison', first: copied(one), second: copied(other), all }
  }
  return inThread(reading, caller)
}

const copied = (one: Compared<World>): Compared<WorldCopy> => ({ ...one, world: copyOf(one.world) })
