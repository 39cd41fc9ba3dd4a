import type { ForkedFrom, MadeFrom } from '../../src/contract/index.ts'
import type { ChaosSetting } from '../chaos/setting.ts'
import type { WorldBreaches } from '../observation/breaches.ts'
import type { Image } from '../store/image.ts'
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
  /** True if breaches of the contract fail its test. */
  readonly strict: boolean
  /** Requests to it that broke the contract. A reset keeps them. */
  readonly breaches: WorldBreaches
  /** Port where it answers without its prefix, if any. */
  readonly port?: number | undefined
}

/** Options of a new world. */
export interface NewWorld {
  readonly name?: string | undefined
  /** Default: the world's name. */
  readonly rngStream?: string | undefined
  /** Allowed idle time, in milliseconds. */
  readonly ttl?: number | null | undefined
  /** Chaos of this world, null for none; undefined: the emulator's. */
  readonly chaos?: ChaosSetting | null | undefined
  /** Default: the emulator's setting. */
  readonly strict?: boolean | undefined
}

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
