import { randomBytes } from 'node:crypto'
import type { ForkedFrom, MadeFrom } from '../../src/contract/index.ts'
import type { ChaosSetting } from '../chaos/setting.ts'
import type { WorldBreaches } from '../observation/breaches.ts'
import { shownOrigin } from '../options.ts'
import type { Image } from '../store/image.ts'
import type { FileMetadata, WorldSettings } from '../store/settings.ts'
import type { World } from './world.ts'

/** A world under its name, and its state outside its tables. Times are the machine's. */
export interface LiveWorld {
  readonly name: string
  /** Number in the order in which the emulator made its worlds. A reset keeps it. */
  readonly made: number
  readonly world: World
  /** Its ids since it was opened, oldest first: each reset adds one. The default world's list has its first id only. */
  readonly ids: string[]
  /** Seed of its random values. */
  readonly rngStream: string
  readonly madeFrom: MadeFrom
  /** Null if it is not a fork. */
  readonly forkedFrom: ForkedFrom | null
  /** Image that a reset restores; null: the seed. */
  readonly image: () => Image | null
  readonly createdAt: number
  /** Allowed idle time, in milliseconds; null: unlimited. */
  readonly ttl: number | null
  readonly usedAt: number
  /**
   * Its file stays open for a while after this time: its last use, its opening, or a check that found work due soon.
   */
  readonly keptOpenAt: number
  readonly requests: number
  readonly busy: number
  /** Number of requests to the service under way. */
  readonly answering: number
  /** The last image of its tables, and the number of rows ever written by then. */
  readonly copied?: { readonly image: Image; readonly changes: number }
  /** Its revision when it was opened or made. */
  readonly opened: Opened
  /** Digest of its last export, and the number of rows ever written by then. */
  readonly exported?: { readonly digest: string; readonly changes: number }
  /** True if breaches of the contract fail its test. */
  readonly strict: boolean
  /** Requests to it that broke the contract. A reset keeps them. */
  readonly breaches: WorldBreaches
  /** Port where it answers without its prefix, if any. */
  readonly port?: number | undefined
}

/** A world as it is made or opened, without its use. */
export type MadeWorld = Omit<
  LiveWorld,
  'made' | 'ids' | 'opened' | 'strict' | 'breaches' | 'usedAt' | 'keptOpenAt' | 'requests' | 'busy' | 'answering'
> &
  Pick<NewWorld, 'strict'>

/** Start of the revisions of a world in this process. */
interface Opened {
  /** Id of this opening of the world: each opening restarts the counts of changes. */
  readonly id: string
  /** Number of rows ever written by then. */
  readonly changes: number
  /** Revision from before it was closed; null: not known. */
  readonly revision: string | null
}

/** Starts the revisions of a world; `id`: id of the opening, if runs must be equal; otherwise the id is random. */
export const openingOf = ({ database: { changes } }: World, id?: string): Opened => ({
  id: id ?? randomBytes(9).toString('base64url'),
  changes,
  revision: null,
})

/** Revision of a world's tables. Equal revisions of a world mean that nothing has changed. */
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
  /** Chaos of this world; null: none. Default: the chaos of the emulator. */
  readonly chaos?: ChaosSetting | null | undefined
  /** Default: the emulator's setting. */
  readonly strict?: boolean | undefined
  /** Throws a Refusal if there is no room for it. Called again when its content is made. */
  readonly refuse?: (() => void) | undefined
}

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Metadata of a world's file, and the facts in the metadata. A file without metadata counts as made now. */
export function storedFacts(name: string, settings: WorldSettings, now: number) {
  const made_from = shownOrigin({ seed: settings.get('seed') })
  const madeNow: FileMetadata = { made_from, ttl: null, created_at: now, origin: null }
  const metadata = settings.get('kept') ?? madeNow
  const { made_from: madeFrom, forked_from: fork, ttl, created_at: createdAt, rng_stream: rngStream = name } = metadata
  // The request log is empty after each start of the process.
  const { request, ...point } = fork ?? {}
  const forkedFrom = fork ? (point as ForkedFrom) : null
  return { metadata, facts: { rngStream, madeFrom, forkedFrom, ttl, createdAt } }
}
