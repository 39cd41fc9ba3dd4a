import { randomBytes } from 'node:crypto'
import type { ForkedFrom, MadeFrom } from '../../src/contract/index.ts'
import type { ChaosSetting } from '../chaos/setting.ts'
import type { WorldBreaches } from '../observation/breaches.ts'
import { shownOrigin } from '../options.ts'
import type { Image } from '../store/image.ts'
import type { FileMetadata, WorldSettings } from '../store/settings.ts'
import type { World } from './world.ts'

/**
 * A world with its name, and the part of its state that is not in its tables. Times are epoch milliseconds of the
 * machine's clock.
 */
export interface LiveWorld {
  readonly name: string
  /**
   * Number of the world in the order in which the emulator made its worlds. The number stays the same after a reset.
   */
  readonly made: number
  readonly world: World
  /**
   * The world's ids since it was opened, oldest first: each reset adds an id. For the default world, the list contains
   * only the first id.
   */
  readonly ids: string[]
  /** Name of the stream from which the world's random values and chaos are drawn. */
  readonly rngStream: string
  readonly madeFrom: MadeFrom
  /** Null if the world is not a fork. */
  readonly forkedFrom: ForkedFrom | null
  /** Returns the image that a reset restores; null: a reset uses the seed. */
  readonly image: () => Image | null
  readonly createdAt: number
  /** Allowed idle time, in milliseconds; null: unlimited. */
  readonly ttl: number | null
  readonly usedAt: number
  /**
   * The world's file stays open for a while after this time, which is the time of its last use, of its opening, or of a
   * check that found work due soon.
   */
  readonly keptOpenAt: number
  readonly requests: number
  readonly busy: number
  /** Number of requests to the service under way. */
  readonly answering: number
  /** The last image of the world's tables, and the number of rows written until the image was made. */
  readonly copied?: { readonly image: Image; readonly changes: number }
  /** Revision of the world when it was opened or made. */
  readonly opened: Opened
  /** Digest of the world's last export, and the number of rows written until the export was made. */
  readonly exported?: { readonly digest: string; readonly changes: number }
  /** True if breaches of the contract fail the test that uses the world. */
  readonly strict: boolean
  /** Requests to the world that broke the contract. They are kept when the world is reset. */
  readonly breaches: WorldBreaches
  /** Port on which the world answers without its prefix, if it has one. */
  readonly port?: number | undefined
}

/** A world that was just made or opened, without the counts of its use. */
export type MadeWorld = Omit<
  LiveWorld,
  'made' | 'ids' | 'opened' | 'strict' | 'breaches' | 'usedAt' | 'keptOpenAt' | 'requests' | 'busy' | 'answering'
> &
  Pick<NewWorld, 'strict'>

/** State from which the revisions of a world in this process begin. */
interface Opened {
  /**
   * Id of this opening of the world; it is part of each revision, because each opening restarts the count of changes.
   */
  readonly id: string
  /** Number of rows that had been written when the world was opened. */
  readonly changes: number
  /** Revision of the world when it was last closed; null: not known. */
  readonly revision: string | null
}

/**
 * Begins the revisions of a world; `id`: id of the opening, given if all runs must be equal; random by default.
 */
export const openingOf = ({ database: { changes } }: World, id?: string): Opened => ({
  id: id ?? randomBytes(9).toString('base64url'),
  changes,
  revision: null,
})

/** Revision of the tables of a world. Two equal revisions of a world mean that nothing has changed. */
export function revisionOf({ world: { database }, opened }: LiveWorld): string {
  const { changes } = database
  return changes === opened.changes && opened.revision !== null ? opened.revision : `${opened.id}.${changes}`
}

/** Options of a new world. */
export interface NewWorld {
  readonly name?: string | undefined
  /** Default: the world's name. */
  readonly rngStream?: string | undefined
  /** Allowed idle time, in milliseconds. */
  readonly ttl?: number | null | undefined
  /** Chaos of this world; null: no chaos. Default: the chaos of the emulator. */
  readonly chaos?: ChaosSetting | null | undefined
  /** Default: the emulator's setting. */
  readonly strict?: boolean | undefined
  /** Throws a Refusal if the limits leave no room for the world. Called again once the world's content is made. */
  readonly refuse?: (() => void) | undefined
}

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * The metadata in a world's file, and the facts about the world that they contain. A file without metadata is treated
 * as made now.
 */
export function storedFacts(name: string, settings: WorldSettings, now: number) {
  const made_from = shownOrigin({ seed: settings.get('seed') })
  const madeNow: FileMetadata = { made_from, ttl: null, created_at: now, origin: null }
  const metadata = settings.get('kept') ?? madeNow
  const { made_from: madeFrom, forked_from: fork, ttl, created_at: createdAt, rng_stream: rngStream = name } = metadata
  // Leaves out the last request before the fork, because the request log is empty after each start of the process.
  const { request, ...point } = fork ?? {}
  const forkedFrom = fork ? (point as ForkedFrom) : null
  return { metadata, facts: { rngStream, madeFrom, forkedFrom, ttl, createdAt } }
}
