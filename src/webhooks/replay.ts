import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Context } from '../commands/context.ts'
import type { ReplayFlags } from '../commands/webhooks/replay.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { field, id, time, words } from '../output/columns.ts'
import type { Column } from '../output/output.ts'
import type { Delivery } from './delivery.ts'
import { eventOf, factsOf, type TailEvent } from './event.ts'
import { Forwarder, isAccepted, type Outcome } from './forward.ts'
import { fromLine } from './saved_delivery.ts'

interface Replayed {
  readonly line: number
  readonly received_at: string
  readonly event: string | null
  readonly delivery_id: string | null
  readonly payment_id: string | null
  readonly status: number | null
  readonly duration_ms: number
  readonly error: string | null
}

const columns: readonly Column<Replayed>[] = [
  field('line', ({ line }) => line),
  time('received_at', (one) => one.received_at),
  { ...field('event', ({ event }) => event), width: 'transaction.received'.length, uncut: true },
  id('payment_id', (one) => one.payment_id),
  { ...field('delivery_id', (one) => one.delivery_id), width: 'whd_000000000012'.length, uncut: true },
  { ...field<Replayed>('status', ({ status }) => status), tone: (one) => (isAccepted(one) ? 'good' : 'bad') },
  field('duration_ms', (one) => one.duration_ms),
  words('error', ({ error }) => error),
]

/** What went wrong, counted. */
interface Tally {
  sent: number
  refused: number
  unanswered: number
  readonly unreadable: string[]
}

export async function replayFile(file: string, { to, event, deliveryTimeout }: ReplayFlags, context: Context) {
  const lines = await linesOf(file, context)
  const forwarder = new Forwarder({ url: to, timeout: deliveryTimeout })
  const stop = () => void forwarder.close()
  context.signal.addEventListener('abort', stop, { once: true })
  const tally: Tally = { sent: 0, refused: 0, unanswered: 0, unreadable: [] }
  try {
    const rows = async function* () {
      for await (const { number, delivery, about } of deliveriesIn(lines, tally)) {
        if (event && !(event as readonly (string | null)[]).includes(about.event)) continue
        const outcome = await forwarder.send(delivery)
        context.signal.throwIfAborted()
        count(outcome, tally)
        yield rowOf(number, about, outcome)
      }
    }
    await context.output.stream(rows(), columns, { none: 'No deliveries to post.' })
  } finally {
    context.signal.removeEventListener('abort', stop)
    await forwarder.close()
  }
  conclude(tally)
}

async function linesOf(file: string, { io }: Context): Promise<AsyncIterable<string>> {
  if (file === '-') return createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  const handle = await open(file).catch(unreadable)
  if (!(await handle.stat()).isDirectory()) return handle.readLines()
  await handle.close()
  return unreadable(new Error(`${file} is a folder`))
}

function unreadable({ message }: Error): never {
  throw new UsageError(`The file cannot be read: ${message}`, 'Name one that payctl webhooks tail --save has written.')
}

async function* deliveriesIn(lines: AsyncIterable<string>, tally: Tally) {
  let number = 0
  for await (const line of lines) {
    number += 1
    if (line.trim() === '') continue
    const delivery = deliveryIn(line)
    if (delivery instanceof Error) tally.unreadable.push(`line ${number}: ${delivery.message}`)
    else yield { number, delivery, about: eventOf(delivery) }
  }
}

function deliveryIn(line: string): Delivery | Error {
  try {
    return fromLine(line)
  } catch (error) {
    return error as Error
  }
}

const rowOf = (line: number, about: TailEvent, { status, error, durationMs }: Outcome): Replayed => ({
  line,
  received_at: about.received_at,
  event: about.event,
  delivery_id: about.delivery_id,
  payment_id: factsOf(about).id,
  status,
  duration_ms: durationMs,
  error: error ?? (status !== null && status >= 300 && status < 400 ? 'redirects are not followed' : null),
})

function count({ status }: Outcome, tally: Tally): void {
  tally.sent += 1
  if (status === null || status >= 500) tally.unanswered += 1
  else if (!isAccepted({ status })) tally.refused += 1
}

function conclude({ sent, refused, unanswered, unreadable }: Tally): void {
  const [first] = unreadable
  if (first !== undefined) {
    const others = unreadable.length > 1 ? ` (and ${unreadable.length - 1} more)` : ''
    throw new UsageError(
      `Not everything in the file is a delivery: ${first}${others}. The others were posted: ${sent}.`,
      'A line is what tail --save writes: received_at, headers and body.',
    )
  }
  if (refused + unanswered === 0) return
  throw new CliError(
    unanswered > 0 ? 'unavailable' : 'rejected',
    `${refused + unanswered} of ${sent} deliveries were not accepted.`,
    'The status of each is above. Posting all of them again may repeat those that were accepted.',
  )
}
