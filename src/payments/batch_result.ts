import { hasEnded } from '../contract/terminal_statuses.ts'
import type { Reporter } from '../run/reporter.ts'
import { isBrokenPipe } from '../run/sink.ts'
import type { BatchRunner } from './batch_runner.ts'

/** What has become of a row, as far as is known. `unsuccessful`: the service accepted its payment, which then failed. */
export type RowEnd = 'completed' | 'in_progress' | 'unsuccessful' | 'rejected' | 'unknown' | 'not_sent'

function endOf(status: string): RowEnd {
  if (status === 'not_sent' || status === 'unknown' || status === 'rejected' || status === 'completed') return status
  return hasEnded(status) ? 'unsuccessful' : 'in_progress'
}

/** Counts what became of the rows. */
export class Tally {
  readonly total: number
  done = 0
  readonly #counts = new Map<RowEnd, number>()

  constructor(total: number) {
    this.total = total
  }

  add({ status }: { readonly status: string }): void {
    this.done += 1
    const end = endOf(status)
    this.#counts.set(end, this.of(end) + 1)
  }

  /** Counts rows that the run did not come to, though an earlier one may have sent them. */
  leaveInDoubt(rows: number): void {
    const left = Math.min(rows, this.total - this.done)
    this.done += left
    this.#counts.set('unknown', this.of('unknown') + left)
  }

  of(end: RowEnd): number {
    return this.#counts.get(end) ?? 0
  }

  /** Rows whose payment the service has named: money moved, moves, or will not. */
  get sent(): number {
    return this.of('completed') + this.of('in_progress') + this.of('unsuccessful')
  }

  get failed(): number {
    return this.of('rejected') + this.of('unknown') + this.of('unsuccessful')
  }

  get unsent(): number {
    return this.total - this.done + this.of('not_sent')
  }
}

/** Milliseconds between two looks at the counts. */
const progressInterval = 250

/** Reports how far the batch has come, until the returned function is called. */
export function showProgress(tally: Tally, runner: BatchRunner, reporter: Reporter): () => void {
  const started = Date.now()
  const timer = setInterval(() => {
    const wait = Math.ceil(runner.waiting / 1000)
    const text = progressOf(tally, (Date.now() - started) / 1000)
    reporter.progress(wait > 1 ? `${text}; the service asks to wait ${wait} s` : text)
  }, progressInterval)
  return () => {
    clearInterval(timer)
    reporter.progress(null)
  }
}

function progressOf({ done, total, failed }: Tally, seconds: number): string {
  const rate = done / Math.max(seconds, 0.001)
  const left = rate > 0 ? `, ${duration((total - done) / rate)} left` : ''
  return `${done} of ${total} rows, ${failed} failed, ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left}`
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}

/**
 * Writes rows as they become known. When the reader goes away or the disk is full, the rest of the rows is still worked
 * through. Returns the error of writing then; undefined when the reader closed the pipe.
 */
export async function writeRows<Row>(
  rows: AsyncIterable<Row>,
  write: (rows: AsyncIterable<Row>) => Promise<void>,
): Promise<unknown> {
  const source = rows[Symbol.asyncIterator]()
  const kept: AsyncIterable<Row> = { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) }
  try {
    await write(kept)
    return undefined
  } catch (error) {
    for await (const _ of kept); // what is left
    return isBrokenPipe(error) ? undefined : error
  }
}
