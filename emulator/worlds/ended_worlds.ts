import type { EndedWorld } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { timestamp } from '../domain/time.ts'
import { earliest, type Work } from '../scheduler.ts'

interface Ending {
  readonly name: string
  /** All ids that the world had, oldest first: each reset makes a new id. */
  readonly ids: readonly string[]
  /** The world's number in the order in which the emulator made its worlds. */
  readonly made: number
  /** True if a late request to the world is a breach that fails a test. */
  readonly strict: boolean
  /** If the emulator has teams: digest of the world's token, which late requests must have. */
  readonly token: Buffer | null
  readonly by: EndedWorld['ended_by']
  /** Epoch milliseconds of the machine's clock. */
  readonly at: number
}

/** A request to a world that had ended. */
interface LateRequest {
  readonly method: string
  readonly path: string
  readonly at: number
}

/** A world that has ended, and the requests that came after its end. */
export interface Ended extends Ending {
  late: number
  latest: readonly LateRequest[]
}

/** Maximum number of ended worlds that are remembered, and of late requests for each. */
const remembered = { worlds: 10_000, requests: 10 }

/** Worlds that have ended. Late requests of a finished test get a 410 and are counted. */
export class EndedWorlds {
  readonly #all = new Set<Ended>()
  readonly #byId = new Map<string, Ended>()
  /** The latest ended world of each name. */
  readonly #byName = new Map<string, Ended>()

  add(ending: Ending): Ended {
    const ended = { ...ending, late: 0, latest: [] }
    this.#all.add(ended)
    for (const id of ended.ids) this.#byId.set(id, ended)
    this.#byName.set(ended.name, ended)
    const [oldest] = this.#all
    if (this.#all.size > remembered.worlds && oldest) this.#forget(oldest)
    return ended
  }

  named = (name: string): Ended | undefined => this.#byName.get(name)

  /** Finds a world by any of its ids. */
  withId = (id: string): Ended | undefined => this.#byId.get(id)

  list = (): readonly EndedWorld[] => this.all().map(shownEnded)

  /** All ended worlds, in the order in which they ended. */
  all = (): readonly Ended[] => [...this.#all]

  #forget(ended: Ended): void {
    this.#all.delete(ended)
    for (const id of ended.ids) this.#byId.delete(id)
    if (this.#byName.get(ended.name) === ended) this.#byName.delete(ended.name)
  }
}

/** Refuses a request to a world that has ended. */
export function refusalOf({ name, by, at }: Ended): Refusal {
  const why = by === 'deletion' ? 'it was deleted' : 'it had been idle for longer than its ttl'
  return new Refusal(410, { message: `The world ${name} ended at ${timestamp(at)}: ${why}` })
}

export function countLate(ended: Ended, late: LateRequest): void {
  ended.late += 1
  ended.latest = [...ended.latest, late].slice(-remembered.requests)
}

export const shownEnded = ({ name, ids, by, at, late, latest }: Ended): EndedWorld => ({
  name,
  id: ids.at(-1) as string,
  status: 'ended',
  ended_by: by,
  ended_at: timestamp(at),
  late_requests: late,
  latest: latest.map(({ at, ...request }) => ({ ...request, at: timestamp(at) })),
})

/** A world that may be idle. Times are epoch milliseconds of the machine's clock. */
interface UsedWorld {
  readonly name: string
  /** Allowed idle time, in milliseconds; null: unlimited. */
  readonly ttl: number | null
  readonly usedAt: number
  /** Number of control calls under way, such as waits and moves of the clock; a world with such a call is not idle. */
  readonly busy: number
  /** Number of requests under way; a world with such a request is not idle either. */
  readonly answering: number
}

/** Ends worlds that have been idle for longer than their `ttl`. */
export class IdleWorlds implements Work {
  readonly #all: () => readonly UsedWorld[]
  readonly #end: (name: string) => void

  constructor(all: () => readonly UsedWorld[], end: (name: string) => void) {
    this.#all = all
    this.#end = end
  }

  nextDue(): number | null {
    return earliest(this.#all().map(expiryOf))
  }

  runDue(now: number): void {
    for (const world of this.#all()) if ((expiryOf(world) ?? Number.POSITIVE_INFINITY) <= now) this.#end(world.name)
  }
}

/** Time at which a world ends if nobody uses it, in epoch milliseconds; null: never. */
const expiryOf = ({ ttl, usedAt, busy, answering }: UsedWorld): number | null =>
  ttl === null || busy > 0 || answering > 0 ? null : usedAt + ttl
