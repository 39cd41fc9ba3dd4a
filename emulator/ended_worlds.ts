import type { EndedWorld } from '../src/contract/index.ts'
import { Refusal } from './domain/refusal.ts'
import { timestamp } from './domain/time.ts'

type EndedBy = EndedWorld['ended_by']

interface Ended {
  readonly name: string
  readonly id: string
  /** Its number in the order in which the worlds of the emulator were made. */
  readonly made: number
  readonly by: EndedBy
  /** Epoch milliseconds of the machine. */
  readonly at: number
}

interface Late {
  readonly method: string
  readonly path: string
  readonly at: number
}

type Remembered = Ended & { late: number; latest: readonly Late[] }

/** How many worlds are remembered after their end, and how many late requests of each. */
const kept = { worlds: 10_000, requests: 10 }

/** Worlds that were. What a finished test still sends to its world is answered with 410, and counted. */
export class EndedWorlds {
  readonly #ended = new Map<string, Remembered>()

  add(ended: Ended): void {
    this.#ended.set(ended.name, { ...ended, late: 0, latest: [] })
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > kept.worlds && oldest !== undefined) this.#ended.delete(oldest)
  }

  has = (name: string): boolean => this.#ended.has(name)

  /** What a request to a world is refused with, if that world has ended. */
  refusalOf(name: string): Refusal | undefined {
    const ended = this.#ended.get(name)
    if (!ended) return undefined
    const { by, at } = ended
    const why = by === 'deletion' ? 'it was deleted' : 'it had been idle for longer than its ttl'
    return new Refusal(410, { message: `The world ${name} ended at ${timestamp(at)}: ${why}` })
  }

  count(name: string, late: Late): void {
    const ended = this.#ended.get(name)
    if (!ended) return
    ended.late += 1
    ended.latest = [...ended.latest, late].slice(-kept.requests)
  }

  /** The one that ended first comes first. */
  list = (): readonly EndedWorld[] => this.all().map(shownEnded)

  all = (): readonly Remembered[] => [...this.#ended.values()]

  get(name: string): EndedWorld | undefined {
    const ended = this.#ended.get(name)
    return ended && shownEnded(ended)
  }
}

export const shownEnded = ({ name, id, by, at, late, latest }: Remembered): EndedWorld => ({
  name,
  id,
  status: 'ended',
  ended_by: by,
  ended_at: timestamp(at),
  late_requests: late,
  latest: latest.map(({ at, ...request }) => ({ ...request, at: timestamp(at) })),
})
