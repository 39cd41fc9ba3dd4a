import type { Intent } from '../journal/intent.ts'
import { isOpen } from './current_statuses.ts'

/** An intent with its payment's fee in minor units, if the service has returned it. */
export interface Outcome extends Intent {
  readonly fee?: number | null | undefined
}

/** An intent and its row number in the batch, from 0. */
export interface Numbered {
  readonly intent: Outcome
  readonly number: number
}

/** Rows that were reported or whose ends are awaited. Stores only one byte for each. */
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

  /** True if the row is to be reported now; false while the end of its payment is awaited. */
  add({ intent, number }: Numbered): boolean {
    const awaited = this.#awaitsEnds && isOpen(intent)
    this.#flags[number] = awaited ? 2 : 1
    return !awaited
  }
}
