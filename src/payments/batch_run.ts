import type { Money } from '../client/received.ts'
import { formatMoney } from '../contract/money.ts'
import { hasEnded } from '../contract/terminal_statuses.ts'
import { failureOf } from '../errors/failure.ts'
import type { Intent } from '../journal/intent.ts'
import type { Accounts } from './batch_checks.ts'
import { showProgress, Tally, writeRows } from './batch_result.ts'
import { BatchRunner, inParallel, type RunnerOptions } from './batch_runner.ts'
import type { PaymentOptions, PaymentSession } from './payment_session.ts'

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
  const runner = await BatchRunner.start({ session, connect, batch })
  const tally = new Tally(total)
  const endProgress = showProgress(tally, runner, session.reporter)
  const results = async function* (): AsyncGenerator<ResultRow, void> {
    for await (const intent of outcomes(runner, { intents: run.intents, total, concurrency, wait })) {
      const row = resultRow(intent, accounts)
      tally.add(row)
      yield row
    }
  }
  const writeError = await writeRows(results(), write).finally(() => {
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

/** Intents that are marked as sent in one write to disk. A run that is killed leaves no more of them in doubt. */
const groupSize = 64

/** Milliseconds between two looks at all payments: soon at first, as most payments take seconds. */
const firstPause = 250
const longestPause = 5_000

/** The rows of a batch, and how to work on them. */
interface Work {
  /** In the same order each time. */
  readonly intents: () => Iterable<Intent>
  readonly total: number
  readonly concurrency: number
  /** Milliseconds to wait for the ends of payments, or undefined for not at all. */
  readonly wait: number | undefined
}

/** An intent and which of the batch's rows it is, from 0. */
interface Numbered {
  readonly intent: Intent
  readonly number: number
}

/** Sends what is not sent yet and yields each intent once, as soon as it is known what became of it. */
async function* outcomes(runner: BatchRunner, work: Work): AsyncGenerator<Intent, void> {
  const { total, concurrency, wait } = work
  const reported = new ReportedRows(total, wait !== undefined)
  const unresolved: Numbered[] = []

  const send = async ({ intent, number }: Numbered) => ({ intent: await runner.send(intent), number })
  for await (const row of inParallel(markedRows(work.intents(), runner), concurrency, send)) {
    if (runner.unresolved.has(row.intent)) unresolved.push(row)
    else if (reported.add(row)) yield row.intent
  }
  runner.orFail(() => runner.journal.retract())

  await runner.resolve()
  for (const { intent, number } of unresolved) {
    const row = { intent: runner.reread(intent), number }
    if (reported.add(row)) yield row.intent
  }
  if (wait !== undefined) yield* ends(runner, { ...work, reported, deadline: Date.now() + wait })
}

/** Which rows have been reported: a flag for each is all that is kept of it. */
class ReportedRows {
  readonly #flags: Uint8Array
  readonly #awaitsEnds: boolean

  constructor(total: number, awaitsEnds: boolean) {
    this.#flags = new Uint8Array(total)
    this.#awaitsEnds = awaitsEnds
  }

  has({ number }: Numbered): boolean {
    return this.#flags[number] === 1
  }

  /** Whether the row is to be reported now; false while the end of its payment is awaited. */
  add({ intent, number }: Numbered): boolean {
    if (this.#awaitsEnds && isOnItsWay(intent)) return false
    this.#flags[number] = 1
    return true
  }
}

const isOnItsWay = ({ status, payment_status }: Intent): boolean => status === 'settled' && !hasEnded(payment_status)

interface Waiting extends Work {
  readonly reported: ReportedRows
  /** In milliseconds since 1970. */
  readonly deadline: number
}

/** Looks at payments that are on their way until they have ended or the time is up; then yields those that are left. */
async function* ends(runner: BatchRunner, waiting: Waiting): AsyncGenerator<Intent, void> {
  const { concurrency, reported, deadline } = waiting
  const pendingRows = function* (): Generator<Numbered, void> {
    for (const row of numbered(waiting.intents(), runner)) {
      if (!reported.has(row) && row.intent.status === 'settled') yield row
    }
  }
  const look = async ({ intent, number }: Numbered) => ({
    intent: Date.now() < deadline ? await lookAt(intent, runner) : intent,
    number,
  })
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    let open = 0
    for await (const row of inParallel(pendingRows(), concurrency, look)) {
      if (reported.add(row)) yield row.intent
      else open += 1
    }
    if (open === 0) return
    if (runner.stopped || Date.now() >= deadline) break
    await runner.pause(Math.min(pause, deadline - Date.now()))
  }
  for (const { intent } of pendingRows()) yield intent
}

/** As the service has it now; as it was known, when the service does not answer. */
async function lookAt(intent: Intent, runner: BatchRunner): Promise<Intent> {
  const known = runner.reread(intent)
  if (!isOnItsWay(known) || known.payment_id === null || !(await runner.ready())) return known
  try {
    const payment = await runner.client.call('payments.get', { params: { id: known.payment_id } })
    const { status, error_message: error } = payment
    if (!status) return known
    if (status !== known.payment_status) runner.journal.markSettled(known.id, { id: known.payment_id, status })
    return { ...known, payment_status: status, error: error ?? null }
  } catch (error) {
    const { exit } = failureOf(error, false)
    if (exit === 'unauthenticated' || exit === 'forbidden') runner.fail(error)
    return known
  }
}

/** Ends early, and stops the runner, when the intents can't be read any more. */
function* numbered(intents: Iterable<Intent>, runner: BatchRunner): Generator<Numbered, void> {
  const source = intents[Symbol.iterator]()
  for (let number = 0; ; number += 1) {
    const read = runner.orFail(() => source.next())
    if (!read || read.done) return
    yield { intent: read.value, number }
  }
}

/** Rows that are marked as sent, until the runner stops. Those that are left then must be retracted. */
function* markedRows(intents: Iterable<Intent>, runner: BatchRunner): Generator<Numbered, void> {
  const rows = numbered(intents, runner)
  for (;;) {
    const group: Numbered[] = []
    while (group.length < groupSize && !runner.stopped) {
      const { done, value } = rows.next()
      if (done) break
      group.push(value)
    }
    if (runner.stopped || group.length === 0) return
    const open = group.filter(({ intent }) => intent.status !== 'settled').map(({ intent }) => intent.id)
    runner.orFail(() => runner.journal.markSentInGroup(open))
    for (const row of group) {
      if (runner.stopped) return
      yield row
    }
  }
}

/** What is told of a row once it is known. */
export interface ResultRow {
  readonly line: number | null
  readonly reference: string | null
  /** IBAN or phone. */
  readonly to: string
  /** Minor units. Without the display form where the account's currency is not known. */
  readonly amount: Money | { readonly value: number }
  /** The payment's own; else `rejected`, `unknown` (money may have moved) or `not_sent`. */
  readonly status: string
  readonly payment_id: string | null
  /** Id of the intent. */
  readonly intent: string
  readonly error: string | null
}

export function resultRow(intent: Intent, accounts: Accounts): ResultRow {
  const { amount, source_account_id, recipient_iban, recipient_phone } = intent.body
  const currency = accounts?.get(source_account_id)?.balance.currency
  return {
    line: intent.line,
    reference: intent.reference,
    to: recipient_iban ?? recipient_phone ?? '',
    amount: currency ? { value: amount, currency, formatted: formatMoney(amount, currency) } : { value: amount },
    status: statusOf(intent),
    payment_id: intent.payment_id,
    intent: intent.id,
    error: intent.error,
  }
}

function statusOf({ status, payment_status }: Intent): string {
  if (status === 'settled') return payment_status ?? status
  if (status === 'prepared') return 'not_sent'
  return status === 'rejected' ? status : 'unknown'
}
