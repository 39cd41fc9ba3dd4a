import type { ControlOutputOf, ExportedSeed } from '../../src/contract/index.ts'
import type { Compared, Differences } from '../comparison/worlds.ts'
import type { ControlContext } from '../http/context.ts'
import { copyOf, type WorldCopy } from '../observation/recorded_world.ts'
import { worldEnded } from '../observation/waits.ts'
import { type SeedPayments, seedOf, seedWithoutPayments } from '../seed_file/export.ts'
import { type Image, imageOf } from '../store/image.ts'
import { inThread, largeWorld, type ThreadCaller } from '../thread.ts'
import type { World } from '../worlds/world.ts'
import { type Counts, checkLedger, countsIn } from './counts.ts'

/** Input for a thread that reads whole tables of a world. */
export type Reading =
  | { readonly kind: 'story'; readonly world: WorldCopy }
  | { readonly kind: 'ledger' | 'counts' | 'payments'; readonly image: Image }
  | {
      readonly kind: 'comparison'
      readonly first: Compared<WorldCopy>
      readonly second: Compared<WorldCopy>
      readonly all: boolean
    }

/** The world that is read, and the caller. */
type Read = Pick<ControlContext, 'world' | 'worlds' | 'name' | 'gone'>

/** True if reading all tables of the world takes so long that it needs a thread. */
const isLarge = ({ database }: World): boolean => database.size >= largeWorld

const callerOf = ({ worlds, name, gone }: Read): ThreadCaller => ({ team: worlds.ownerOf(name), gone })

/**
 * Reads a world when all its writes are committed, before others can write: what they write may still be rolled back.
 * Throws a Refusal with 410 if the world ends meanwhile.
 */
function committed<T>({ worlds, name, world }: Read, reading: () => T): Promise<T> {
  const unlessEnded = () => {
    if (world.ended) throw worldEnded('reading')
    return reading()
  }
  return worlds.whenSettled(name, unlessEnded, world.id)
}

/** Reads a world in a thread; `reading` copies the world. */
const readInThread = <T>(read: Read, reading: () => Reading): Promise<T> =>
  inThread(() => committed(read, reading), callerOf(read))

// Each module is loaded at its first use: the start of the emulator needs none of them.

/** Writes the story of a world as text. A large world is read in a thread. */
export async function storyText(read: Read): Promise<string> {
  const { world } = read
  if (isLarge(world)) return readInThread(read, () => ({ kind: 'story', world: copyOf(world) }))
  const { storyOf } = await import('../observation/story.ts')
  return committed(read, () => storyOf(world))
}

/** Checks the ledger of a world. A large world is read in a thread. */
export async function ledgerOf(read: Read): Promise<ControlOutputOf<'control.ledger'>> {
  const { world } = read
  if (!isLarge(world)) return checkLedger(world)
  return readInThread(read, () => ({ kind: 'ledger', image: imageOfTables(world) }))
}

/**
 * Counts the rows of a world. A large world is read in a thread. `image`: an existing copy of the world's tables, if
 * there is one.
 */
export async function countsOf(read: Read, image: Image | null = null): Promise<Counts> {
  const { world } = read
  if (!isLarge(world)) return countsIn(world.store)
  if (image) return inThread((): Reading => ({ kind: 'counts', image }), callerOf(read))
  return readInThread(read, () => ({ kind: 'counts', image: imageOfTables(world) }))
}

/** Exports the seed that makes a world like this world. The payments of a large world are read in a thread. */
export async function exportedSeed(read: Read): Promise<ExportedSeed> {
  const { world } = read
  if (!isLarge(world)) return seedOf(world)
  let withPayments: ReturnType<typeof seedWithoutPayments> | undefined
  const payments = await readInThread<SeedPayments>(read, () => {
    withPayments = seedWithoutPayments(world)
    return { kind: 'payments', image: imageOfTables(world) }
  })
  return (withPayments as NonNullable<typeof withPayments>)(payments)
}

const imageOfTables = ({ database }: World): Image => imageOf(database.connection)

/** Two worlds to compare. */
export type Pair = readonly [Compared<World>, Compared<World>]

/**
 * Compares two worlds. `whenSettled` runs its argument when all writes of both worlds are committed. Large worlds are
 * compared in a thread.
 */
export async function comparisonOf(
  whenSettled: <T>(read: (pair: Pair) => T) => Promise<T>,
  { all, ...caller }: ThreadCaller & { readonly all: boolean },
): Promise<Differences> {
  const { compareWorlds } = await import('../comparison/worlds.ts')
  const compared = await whenSettled(([first, second]) =>
    isLarge(first.world) || isLarge(second.world) ? null : compareWorlds(first, second, { all }),
  )
  if (compared !== null) return compared
  const reading = () =>
    whenSettled(([one, other]): Reading => ({ kind: 'comparison', first: copied(one), second: copied(other), all }))
  return inThread(reading, caller)
}

const copied = (one: Compared<World>): Compared<WorldCopy> => ({ ...one, world: copyOf(one.world) })
