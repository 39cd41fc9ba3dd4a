import { type KillMoment, killMoments } from '../../src/contract/index.ts'
import type { Request } from '../http/message.ts'
import { drawn } from './chaos.ts'

/** Maximum number of kills; the run after the last kill continues to its end. */
const mostKills = 3

/** Upper limit, exclusive, of the number of requests from one kill to the next; reads are not counted. */
const longestPause = 16

/** A request at which the program was killed. */
export interface Killed {
  readonly request: Request
  readonly moment: KillMoment
  /** Number of the run that the kill ended, from 1. */
  readonly run: number
}

/**
 * Draws the requests at which the program under test is killed, and the moment within each request, from the seed of
 * the chaos. Reads are left out: a kill at a read loses no more than a kill after the preceding write.
 */
export class Kills {
  readonly #seed: number
  /** Resolves with true when the program is dead, and with false if the program had already ended on its own. */
  readonly #killProgram: () => Promise<boolean>
  readonly #done: Killed[] = []
  #drawn = 0
  /** Number of writes until the next kill, including the write at which the program is killed. */
  #left: number

  constructor(seed: number, killProgram: () => Promise<boolean>) {
    this.#seed = seed
    this.#killProgram = killProgram
    this.#left = this.#pause()
  }

  /** Number of the program's run, from 1. */
  get run(): number {
    return this.#done.length + 1
  }

  get done(): readonly Killed[] {
    return this.#done
  }

  /** Counts a request. Returns the moment of this request at which to kill the program; null: do not kill it. */
  next({ method }: Request): KillMoment | null {
    if (method === 'GET' || this.#drawn > mostKills) return null
    this.#left -= 1
    if (this.#left > 0) return null
    this.#left = this.#pause()
    return killMoments[Math.floor(drawn([this.#seed, 'moment', this.#drawn]) * killMoments.length)] ?? null
  }

  /** Kills the program at a request; resolves once it is dead. */
  async at(request: Request, moment: KillMoment): Promise<void> {
    const { run } = this
    if (!(await this.#killProgram())) request.kill = null
    else if (run === this.run) this.#done.push({ request, moment, run })
  }

  /**
   * Draws the number of writes until the next kill. Small numbers are likelier than large numbers, so that programs
   * with few requests are also killed.
   */
  #pause(): number {
    this.#drawn += 1
    return Math.floor(longestPause ** drawn([this.#seed, 'pause', this.#drawn]))
  }
}
