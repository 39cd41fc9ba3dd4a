import { reasonOf } from '../errors/cli_error.ts'
import { failureOf } from '../errors/failure.ts'
import { type Intent, isOpen } from '../journal/intent.ts'
import { monotonicClock } from '../real_time.ts'
import { inParallel } from '../run/in_parallel.ts'
import { say } from '../words/text.ts'
import type { BatchRunner, RecordedRow } from './batch_runner.ts'
import { rowsSaid } from './counted.ts'
import { update, updateStatuses } from './current_statuses.ts'
import { Overtaken } from './doubts.ts'

/**
 * Number of intents to mark as sent in one write to disk. If the run is killed, at most this many intents are in doubt
 * although they were not sent.
 */
const groupSize = 64

/** Milliseconds between polls of all payments: short at first, as most payments take seconds. */
const firstPause = 250
const longestPause = 5_000

/** Intents of a batch. */
interface Recorded {
  readonly total: number
  /** Yields the intents in the same order each time. */
  intents(): Iterable<Intent>
  /** False if nobody has agreed to send the intent in its present state. */
  isAgreed(intent: Intent): boolean
}

/**
 * States of a row in this run; 0 is a new row. A state takes one byte, so that memory hardly grows with the batch.
 * `reported`: the run has yielded the row.
 */
const reported = 1
/** The run waits for the end of the row's payment. */
const awaited = 2
/** An earlier run made the row's payment, which had not ended when its status was last read. */
const earlier = 3

/** Sends the unsent rows of a batch and yields each row once, as soon as its outcome is known. */
export class RowOutcomes {
  readonly #recorded: Recorded
  readonly #runner: BatchRunner
  readonly #concurrency: number
  /** Milliseconds to wait for payments to end; undefined: don't wait. */
  readonly #wait: number | undefined
  /** State of each row, by the row's number. */
  readonly #states: Uint8Array
  /** Payments of earlier runs: their count, and the time at which the first of them was recorded. */
  #earlier = 0
  #earlierSince: string | undefined

  constructor(recorded: Recorded, runner: BatchRunner, concurrency: number, wait: number | undefined) {
    this.#recorded = recorded
    this.#runner = runner
    this.#concurrency = concurrency
    this.#wait = wait
    this.#states = new Uint8Array(recorded.total)
  }

  async *each(): AsyncGenerator<RecordedRow, void> {
    const wait = this.#wait
    yield* this.#send()
    await this.#updateEarlier()
    yield* this.#rowsIn(earlier).filter((row) => this.#isToReport(row))
    if (wait !== undefined) yield* this.#ends(monotonicClock() + wait)
    else if (this.#runner.stopped) yield* this.#rows().filter((row) => this.#isPaidBefore(row))
  }

  /** Sends rows, then looks up all rows in doubt together. */
  async *#send(): AsyncGenerator<RecordedRow, void> {
    const runner = this.#runner
    const unresolved: RecordedRow[] = []
    const send = async (row: RecordedRow) => {
      if (this.#isToSend(row)) return { before: row.intent, row: await runner.send(row) }
      if (row.intent.status === 'prepared') runner.whyUnsent ??= new Overtaken()
      return { before: row.intent, row }
    }
    for await (const { before, row } of inParallel(this.#markedRows(), this.#concurrency, send)) {
      if (runner.unresolved.has(row.intent.id)) unresolved.push(row)
      else if (isOpen(before)) this.#addEarlier(row)
      else if (this.#isToReport(row)) yield row
    }
    runner.orFail(() => runner.journal.retract())
    await runner.resolve()
    yield* unresolved.map((row) => runner.reread(row)).filter((row) => this.#isToReport(row))
  }

  /** Marks rows as sent and yields them, until the runner stops. The caller must then unmark the remaining rows. */
  *#markedRows(): Generator<RecordedRow, void> {
    const runner = this.#runner
    const rows = this.#rows()
    for (;;) {
      const group: RecordedRow[] = []
      while (group.length < groupSize && !runner.stopped) {
        const { done, value } = rows.next()
        if (done) break
        group.push(value)
      }
      if (runner.stopped || group.length === 0) return
      const open = group.filter((row) => this.#isToSend(row)).map(({ intent }) => intent)
      runner.orFail(() => runner.journal.markSentInGroup(open))
      for (const row of group) {
        if (runner.stopped) return
        yield row
      }
    }
  }

  #isToSend({ intent }: RecordedRow): boolean {
    return intent.status !== 'settled' && this.#recorded.isAgreed(intent)
  }

  /** Ends early, and stops the runner, if the intents can't be read. */
  *#rows(): Generator<RecordedRow, void> {
    const source = this.#recorded.intents()[Symbol.iterator]()
    for (let number = 0; ; number += 1) {
      const read = this.#runner.orFail(() => source.next())
      if (!read || read.done) return
      yield { number, intent: read.value }
    }
  }

  *#rowsIn(state: number): Generator<RecordedRow, void> {
    if (this.#states.includes(state)) yield* this.#rows().filter(({ number }) => this.#states[number] === state)
  }

  /** Sets the row's state. Returns false while the end of the row's payment is awaited. */
  #isToReport({ number, intent }: RecordedRow): boolean {
    const isAwaited = this.#wait !== undefined && isOpen(intent)
    this.#states[number] = isAwaited ? awaited : reported
    return !isAwaited
  }

  #addEarlier({ number, intent }: RecordedRow): void {
    this.#states[number] = earlier
    this.#earlier += 1
    if (this.#earlierSince === undefined || intent.created_at < this.#earlierSince) {
      this.#earlierSince = intent.created_at
    }
  }

  /** Reads the current statuses of earlier payments. If that fails, rows keep their last known status. */
  async #updateEarlier(): Promise<void> {
    const runner = this.#runner
    if (this.#earlierSince === undefined || runner.stopped) return
    const intents = () => this.#rowsIn(earlier).map(({ intent }) => intent)
    const payments = { count: this.#earlier, since: this.#earlierSince, intents }
    runner.activity = say`reads today's statuses`
    try {
      await updateStatuses(payments, { ...runner.reading, ready: () => runner.ready() })
    } catch (error) {
      runner.remark(
        say`The statuses of ${rowsSaid(this.#earlier)} sent before may be out of date, because they can't be read now: ${reasonOf(error)}.`,
      )
    } finally {
      runner.activity = undefined
    }
  }

  /** True for a row that is settled and not reported yet, such as a row that an earlier run has paid. */
  #isPaidBefore({ number, intent }: RecordedRow): boolean {
    return this.#states[number] !== reported && intent.status === 'settled'
  }

  /**
   * Polls payments in progress, and yields each row whose payment has ended. When the time is up, yields the remaining
   * rows.
   */
  async *#ends(deadline: number): AsyncGenerator<RecordedRow, void> {
    const runner = this.#runner
    const isPending = (row: RecordedRow) => this.#states[row.number] === awaited || this.#isPaidBefore(row)
    const look = async (row: RecordedRow) =>
      monotonicClock() + runner.waiting < deadline ? await lookAt(row, runner) : row
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      let open = 0
      const pending = this.#rows().filter(isPending)
      for await (const row of inParallel(pending, this.#concurrency, look)) {
        // Another process may have begun to repeat a failed payment.
        const hasOutcome = row.intent.status === 'settled' || row.intent.status === 'rejected'
        if (hasOutcome && this.#isToReport(row)) yield row
        else open += 1
      }
      if (open === 0) return
      if (runner.stopped || monotonicClock() >= deadline) break
      await runner.pause(Math.min(pause, deadline - monotonicClock()))
    }
    yield* this.#rows().filter(isPending)
  }
}

/** Reads the payment's current status; falls back to the last known status if the service does not answer. */
async function lookAt(row: RecordedRow, runner: BatchRunner): Promise<RecordedRow> {
  const known = runner.reread(row)
  const { intent } = known
  if (!isOpen(intent) || intent.payment_id === null || !(await runner.ready())) return known
  try {
    const payment = await runner.client.call('payments.get', { params: { id: intent.payment_id } })
    const { status, error_message: error, fee } = payment
    if (!status || !update(intent, payment, runner.reading)) return known
    return { ...known, intent: { ...intent, payment_status: status, error: error ?? null }, fee: fee?.value }
  } catch (error) {
    const { exit } = failureOf(error, false)
    if (exit === 'unauthenticated' || exit === 'forbidden') runner.fail(error)
    runner.heed(error)
    return known
  }
}
