import { terminalStatuses } from '../contract/terminal_statuses.ts'
import type { Exit } from '../errors/exit_codes.ts'
import type { ResultRow } from './batch/result_row.ts'

/** Ways a batch can end, the worst first: what must be looked into before anything else is done. */
const bySeverity: readonly Exit[] = [
  'outcome_unknown',
  'interrupted',
  'bug',
  'usage',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'unavailable',
  'payment_unsuccessful',
  'rejected',
  'payment_in_progress',
  'done',
]

export const worstOf = (ends: readonly Exit[]): Exit => bySeverity.find((exit) => ends.includes(exit)) ?? 'done'

/** How a row's status ends a run; null for a payment that is still on its way, and for a row that was not sent. */
const endOf = (status: string): Exit | null => {
  if (status === 'unknown') return 'outcome_unknown'
  if (status === 'rejected') return 'rejected'
  if (status === 'completed') return 'done'
  return terminalStatuses.some((end) => end === status) ? 'payment_unsuccessful' : null
}

/** Counts what became of the rows. */
export class Tally {
  readonly total: number
  done = 0
  readonly #counts = new Map<Exit | 'not_sent' | 'in_progress', number>()

  constructor(total: number) {
    this.total = total
  }

  add({ status }: Pick<ResultRow, 'status'>): void {
    this.done += 1
    const kind = status === 'not_sent' ? 'not_sent' : (endOf(status) ?? 'in_progress')
    this.#counts.set(kind, this.of(kind) + 1)
  }

  /** Counts rows that the run did not come to, though an earlier one may have sent them. */
  leaveInDoubt(rows: number): void {
    const left = Math.min(rows, this.total - this.done)
    this.done += left
    if (left > 0) this.#counts.set('outcome_unknown', this.of('outcome_unknown') + left)
  }

  of(kind: Exit | 'not_sent' | 'in_progress'): number {
    return this.#counts.get(kind) ?? 0
  }

  /** Named by the service: money moved, moves, or will not. */
  get sent(): number {
    return this.of('done') + this.of('in_progress') + this.of('payment_unsuccessful')
  }

  get failed(): number {
    return this.of('rejected') + this.of('outcome_unknown') + this.of('payment_unsuccessful')
  }

  get unsent(): number {
    return this.total - this.done + this.of('not_sent')
  }

  /** `awaited`: whether payments should have ended by now. */
  worst({ awaited, stopped }: { readonly awaited: boolean; readonly stopped: Exit | undefined }): Exit {
    const ends: Exit[] = [...this.#counts.keys()].filter((kind) => kind !== 'not_sent' && kind !== 'in_progress')
    if (awaited && this.of('in_progress') > 0) ends.push('payment_in_progress')
    if (stopped) ends.push(stopped)
    else if (this.unsent > 0) ends.push('unavailable')
    return worstOf(ends)
  }
}
