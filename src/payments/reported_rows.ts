import type { Intent } from '../journal/intent.ts'
import { isOpen } from './current_statuses.ts'

/** An intent, with its payment's fee in minor units where the service has told it. */
export interface Outcome extends Intent {
  readonly fee?: number | null | undefined
}

/** An intent and which of the batch's rows it is, from 0. */
export interface Numbered {
  readonly intent: Outcome
  readonly number: number
}

/** Which rows have been reported, and whose ends are awaited: a number for each is all that is kept of it. */
export class ReportedRows {
  readonly #flags: Uint8Array
  readonly #awaitsEnds: boolean

  constructor(total: number, awaitsEnds: boolean) {
    this.#flags = new Uint8Array(total)
    this.#awaitsEnds = awaitsEnds
  }

  has({ number }: Numbered): boolean {
    return this.#flags[number] === 1
  }

  awaits({ number }: Numbered): boolean {
    return this.#flags[number] === 2
  }

  /** Whether the row is to be reported now; false while the end of its payment is awaited. */
  add({ intent, number }: Numbered): boolean {
    const awaited = this.#awaitsEnds && isOpen(intent)
    this.#flags[number] = awaited ? 2 : 1
    return !awaited
  }
}
