import type { Intent } from '../journal/intent.ts'
import type { Reporter } from '../run/reporter.ts'
import { outcomes } from './batch_outcomes.ts'
import { type Accounts, type ResultRow, resultRow, Tally } from './batch_result.ts'
import { BatchRunner, type RunnerOptions } from './batch_runner.ts'
import type { PaymentOptions, PaymentSession } from './payment_session.ts'
import { writeRows } from './write_rows.ts'

/** How a batch is run, whatever its rows come from. */
export interface RunOptions extends PaymentOptions {
  /** Payments under way at a time. */
  readonly concurrency: number
  readonly connect: RunnerOptions['connect']
  /** Takes what became of each row, as soon as it is known. */
  readonly write: (rows: AsyncIterable<ResultRow>) => Promise<void>
}

export interface BatchRun {
  /** The batch's name. */
  readonly batch: string
  /** In the same order each time. */
  readonly intents: () => Iterable<Intent>
  readonly total: number
  /** Rows that were in doubt before this run. */
  readonly doubts: number
  readonly accounts: Accounts
  /** Milliseconds to wait for the ends of payments, or undefined for not at all. */
  readonly wait: number | undefined
}

/** How a batch ended. */
export interface BatchReport {
  readonly batch: string
  readonly tally: Tally
  /** Whether rows were left, or their payments on their way, because the run was asked to stop. */
  readonly interrupted: boolean
  /** Why rows were left out, unless it was interrupted. */
  readonly failure: unknown
  /** Why the result could not be written to its end, if so; all rows were treated. */
  readonly writeError: unknown
  /** The answers came from another world than at the start. */
  readonly hasMoved: boolean
}

/** Pays the rows whose intents are on disk. */
export async function runBatch(run: BatchRun, options: RunOptions, session: PaymentSession): Promise<BatchReport> {
  const { batch, total, accounts, wait } = run
  const { connect, concurrency, write } = options
  const resume = session.commandFor(`payments resume --batch ${batch}`)
  const runner = await BatchRunner.start({ session, connect, resume })
  const tally = new Tally(total)
  const endProgress = showProgress(tally, runner, session.reporter)
  const intents = outcomes(runner, { intents: run.intents, total, concurrency, wait })
  const rows = {
    async next(): Promise<IteratorResult<ResultRow, void>> {
      const { done, value } = await intents.next()
      if (done) return { done, value: undefined }
      const row = resultRow(value, accounts)
      tally.add(row)
      return { value: row }
    },
    [Symbol.asyncIterator]: () => rows,
  }
  const writeError = await writeRows(rows, write).finally(() => {
    endProgress()
    return runner.close()
  })
  // Another process at work on the same rows puts some in doubt that were not before.
  tally.leaveInDoubt(Math.max(0, run.doubts - runner.doubtsMet))
  const open = tally.unsent + (wait === undefined ? 0 : tally.of('in_progress'))
  const interrupted = session.signal?.aborted === true && open > 0
  const failure = runner.failure ?? (tally.unsent > 0 && !interrupted ? runner.lastNetworkError : undefined)
  return { batch, tally, interrupted, failure, writeError, hasMoved: session.sender.hasMoved }
}

/** Milliseconds between two looks at the counts. */
const progressInterval = 250

/** Says how far the batch has come, until the returned function is called. */
function showProgress(tally: Tally, runner: BatchRunner, reporter: Reporter): () => void {
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
