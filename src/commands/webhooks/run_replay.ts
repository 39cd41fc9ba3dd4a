import { existsSync } from 'node:fs'
import type { Context } from '../../cli/command.ts'
import { standardInput } from '../../cli/standard_input.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { columnsOf, field, id, time, words } from '../../output/columns.ts'
import type { Column, Layout } from '../../output/output.ts'
import { factsOf } from '../../webhooks/event.ts'
import { firstLine, isAccepted } from '../../webhooks/forward.ts'
import { type ReplayedDelivery, recentLine, replay, savedLines } from '../../webhooks/replay.ts'
import { signingOf, warnOfPlainHttp } from './flags.ts'
import type { ReplayFlags } from './replay.ts'

export interface Row {
  readonly line: number
  readonly received_at: string
  readonly event: string | null
  readonly delivery_id: string | null
  readonly payment_id: string | null
  readonly status: number | null
  readonly duration_ms: number
  readonly error: string | null
  /** First line of the answer. */
  readonly answer: string | null
}

const event: Column<Row> = { ...field('event'), width: 'transaction.received'.length, uncut: true }
const paymentId: Column<Row> = id('payment_id')
const deliveryId: Column<Row> = { ...field('delivery_id'), width: 'whd_000000000012'.length, uncut: true }
const status: Column<Row> = { ...field('status'), tone: (row) => (isAccepted(row) ? 'good' : 'bad') }

export const layout: Layout<Row> = {
  columns: columnsOf<Row>(
    'line',
    time('received_at'),
    event,
    paymentId,
    deliveryId,
    status,
    'duration_ms',
    words('error'),
    words('answer'),
  ),
  table: columnsOf<Row>(
    { ...field('line'), width: 'line'.length, uncut: true },
    { ...time('received_at'), spare: true },
    event,
    { ...paymentId, heading: 'payment', shortened: true },
    { ...deliveryId, heading: 'delivery', spare: true },
    { ...status, width: 'status'.length, uncut: true },
    { ...field('duration_ms'), width: 'duration ms'.length, uncut: true },
    { ...words('answer'), dispensable: true },
  ),
  below: ({ error }) => error,
}

interface Counts {
  sent: number
  refused: number
  /** Number of deliveries that got no answer or a 5xx. */
  unanswered: number
  /** Reasons why lines of the file contain no delivery that can be posted. */
  readonly unreadable: string[]
}

/**
 * Prints a row for each posted delivery; then throws if a line contains no delivery, or if a delivery was not accepted.
 */
export async function runReplay(what: string, flags: ReplayFlags, context: Context): Promise<void> {
  const { to, event: events, deliveryTimeout: timeout } = flags
  const { signal, output, stateDir } = context
  warnOfPlainHttp([to], context)
  const signing = await signingOf(flags)
  const counts: Counts = { sent: 0, refused: 0, unanswered: 0, unreadable: [] }
  const onUnreadable = (line: number, reason: string) => counts.unreadable.push(`line ${line}: ${reason}`)
  // Dots before an id stand for its beginning: ...88f6b
  const isFile = what === '-' || /[/\\]|[^.]\./.test(what) || existsSync(what)
  const lines = isFile ? await savedLines(what, () => standardInput(context)) : await recentLine(stateDir, what)
  const rows = async function* () {
    for await (const replayed of replay(lines, { to, events, timeout, signing, signal, onUnreadable })) {
      count(replayed, counts)
      yield rowOf(replayed)
    }
  }
  await output.stream(rows(), layout, { none: 'No deliveries to post.' })
  requireAllAccepted(counts)
}

function count({ outcome: { status } }: ReplayedDelivery, counts: Counts): void {
  counts.sent += 1
  if (status === null || status >= 500) counts.unanswered += 1
  else if (!isAccepted({ status })) counts.refused += 1
}

const rowOf = ({ line, event, outcome, outcome: { status, error, durationMs } }: ReplayedDelivery): Row => ({
  line,
  received_at: event.received_at,
  event: event.event,
  delivery_id: event.delivery_id,
  payment_id: factsOf(event).id,
  status,
  duration_ms: durationMs,
  error: error ?? (status !== null && status >= 300 && status < 400 ? 'redirects are not followed' : null),
  answer: firstLine(outcome),
})

function requireAllAccepted({ sent, refused, unanswered, unreadable }: Counts): void {
  const [first] = unreadable
  if (first !== undefined) {
    const others = unreadable.length > 1 ? ` (and ${unreadable.length - 1} more)` : ''
    throw new UsageError(
      `Some lines of the file are not deliveries: ${first}${others}. Deliveries posted: ${sent}.`,
      'Each line must have the form that the tail command writes with --save: received_at, headers and body.',
    )
  }
  const failed = refused + unanswered
  if (failed === 0) return
  throw new CliError(
    unanswered > 0 ? 'unavailable' : 'rejected',
    sent === 1
      ? 'The delivery was not accepted.'
      : `${failed} of ${sent} deliveries ${failed === 1 ? 'was' : 'were'} not accepted.`,
    failed === sent
      ? 'The answers are above.'
      : 'The statuses are above. Posting the file again repeats the accepted deliveries too.',
  )
}
