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

/** Waits until all writes of the world are committed. Throws a Refusal with 410 if the world ends meanwhile. */
async function committed({ worlds, name, world }: Read): Promise<void> {
  await worlds.settled(name, world.id)
  if (world.ended) throw worldEnded('reading')
}

/**
 * Reads a world in a thread. `reading` copies the world, and is called after all writes of the world have been
 * committed.
 */
function readInThread<T>(read: Read, reading: () => Reading): Promise<T> {
  const settled = async (): Promise<Reading> => {
    await committed(read)
    return reading()
  }
  return inThread(settled, callerOf(read))
}

// Each module is loaded at its first use: the start of the emulator needs none of them.

/** Writes the story of a world as text. A large world is read in a thread. */
export async function storyText(read: Read): Promise<string> {
  const { world } = read
  if (isLarge(world)) return readInThread(read, () => ({ kind: 'story', world: copyOf(world) }))
  const { storyOf } = await import('../observation/story.ts')
  await committed(read)
  return storyOf(world)
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

/** Two worlds to compare, both without uncommitted writes. */
export type Pair = readonly [Compared<World>, Compared<World>]

/**
 * Compares two worlds. `pair` is called again just before large worlds are copied. Large worlds are compared in a
 * thread.
 */
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
