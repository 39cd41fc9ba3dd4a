import { field, status } from '../../output/columns.ts'
import { createOutput } from '../../output/create_output.ts'
import type { Column } from '../../output/output.ts'
import { loadPaint, type Paint, wantsColour } from '../../run/colour.ts'
import type { Format } from '../../run/invocation.ts'
import { escapeHidden, printable } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'
import { clockTime, localTime } from '../../run/time.ts'
import type { QueuedEvent } from '../../webhooks/delivery_handler.ts'
import { factsOf, type TailEvent, withForward } from '../../webhooks/event.ts'
import { isAccepted, type Outcome } from '../../webhooks/forward.ts'
import type { Context } from '../context.ts'

interface Printing {
  readonly context: Context
  readonly forwardTo: string | undefined
  readonly body: boolean
  /** Called with an event that has been written. Returns whether to go on. */
  readonly onPrinted: (event: TailEvent) => boolean
}

/** Prints events in their order, in the format of the run. */
export function printEvents(events: AsyncIterable<QueuedEvent>, printing: Printing): Promise<void> {
  const format = streamFormat(printing.context)
  return format === 'table' ? printLines(events, printing) : printData(events, printing, format)
}

/** The list has no end, so `json` means one document a line, which is also the default for a pipe. */
function streamFormat({ output, globals, env }: Context): Format {
  const isChosen = globals.json || globals.output !== undefined || env.PAYCTL_OUTPUT !== undefined
  if (output.format === 'json') return 'ndjson'
  return output.format === 'tsv' && !isChosen ? 'ndjson' : output.format
}

async function printData(events: AsyncIterable<QueuedEvent>, printing: Printing, format: Format): Promise<void> {
  const { context, forwardTo, body, onPrinted } = printing
  const { io, env, globals, signal } = context
  const output = createOutput({ io, env, signal, globals: { ...globals, json: false, output: format } })
  const columns = eventColumns({ body, forward: forwardTo !== undefined })
  await output.stream(rows(events, onPrinted), columns)
}

/** Waits for the answer to a forwarded event, to print both together. */
async function* rows(
  events: AsyncIterable<QueuedEvent>,
  onPrinted: Printing['onPrinted'],
): AsyncGenerator<TailEvent, void> {
  for await (const { event, isNew, forward } of events) {
    yield forward ? withForward(event, await forward) : event
    if (isNew && !onPrinted(event)) return
  }
}

interface Shown {
  readonly body: boolean
  readonly forward: boolean
}

/** For csv and tsv. */
const eventColumns = ({ body, forward }: Shown): readonly Column<TailEvent>[] => [
  field('received_at', (event) => event.received_at),
  field('event', ({ event }) => event),
  field('recovered', ({ recovered }) => recovered),
  field('payment_id', (event) => factsOf(event).id),
  field('status', (event) => factsOf(event).status),
  field('channel', (event) => factsOf(event).channel),
  field('transfer_type', (event) => factsOf(event).transferType),
  field('amount', (event) => factsOf(event).amount),
  field('currency', (event) => factsOf(event).currency),
  field('counterparty', (event) => factsOf(event).counterparty),
  field('error', (event) => factsOf(event).error),
  field('delivery_id', ({ delivery_id }) => delivery_id),
  field('attempt', ({ attempt }) => attempt),
  ...(forward ? forwardColumns : []),
  ...(body ? [field<TailEvent>('body', ({ raw, data }) => raw ?? JSON.stringify(data))] : []),
]

const forwardColumns: readonly Column<TailEvent>[] = [
  field('forward_status', ({ forward }) => forward?.status),
  field('forward_ms', ({ forward }) => forward?.duration_ms),
  field('forward_error', ({ forward }) => forward?.error),
]

interface LineOptions {
  readonly paint: Paint
  /** Columns of the terminal; infinite: nothing is cut. */
  readonly width: number
}

/** Columns from which a whole payment id fits. */
const wide = 120

/** Characters that are shown of a body that is no event. */
const longestRaw = 500

const { tone } = status<string>('status', (text) => text)

async function printLines(
  events: AsyncIterable<QueuedEvent>,
  { context, forwardTo: url, body, onPrinted }: Printing,
): Promise<void> {
  const { io, globals, env } = context
  const isTerminal = io.stdout.isTTY === true
  const paint = await loadPaint(wantsColour(globals, env, isTerminal))
  const options = (): LineOptions => ({ paint, width: isTerminal ? io.stdout.columns || 80 : Number.POSITIVE_INFINITY })
  const print = (line: string) => write(io.stdout, `${line}\n`)
  const answers = new Set<Promise<void>>()
  for await (const { event, isNew, forward } of events) {
    if (isNew) {
      await print(eventLine(event, options()))
      if (body) for (const line of bodyLines(event)) await print(line)
    }
    if (forward && url !== undefined) {
      const answer = forward.then((outcome) => print(forwardLine(event, outcome, { ...options(), url })))
      answers.add(answer)
      answer.then(
        () => answers.delete(answer),
        () => {}, // Promise.all below throws it
      )
    }
    if (isNew && !onPrinted(event)) break
  }
  await Promise.all(answers)
}

/** One line for an event, cut to the terminal: time, event, payment, amount, status, who is at the other end. */
function eventLine(event: TailEvent, { paint, width }: LineOptions): string {
  const { id, amountText, status: state, counterparty, error, time } = factsOf(event)
  const name = event.event ?? (event.recovered ? 'no event' : 'unreadable body')
  const shownState = printable(`${state ?? ''}${event.recovered ? ' recovered' : ''}`)
  const parts = [
    clockTime(event.received_at),
    name.padEnd(20),
    (width < wide ? shortened(id ?? '') : (id ?? '')).padEnd(width < wide ? 9 : 36),
    amountText.padStart(16),
    shownState.padEnd(10),
  ].map(printable)
  const past = event.recovered ? localTime(time) : ''
  const rest = [past, counterparty, error && `(${error})`, event.raw?.slice(0, longestRaw)].filter((text) => text)
  const line = [...parts, printable(rest.join(' '))].join('  ').trimEnd()
  const head = parts.slice(0, 4).join('  ').length + 2
  const cut = cutTo(line, width)
  const [before, marked, after] = [
    cut.slice(0, head),
    cut.slice(head, head + shownState.length),
    cut.slice(head + shownState.length),
  ]
  const colour = event.recovered ? 'busy' : (tone?.(state ?? '') ?? 'dim')
  return marked === '' ? cut : `${before}${paint.tone(colour, marked)}${after}`
}

/** The end of a payment id: ids of one minute begin alike. */
const shortened = (id: string): string => (id.length > 9 ? `…${id.slice(-8)}` : id)

const cutTo = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

/** One line for the answer to a forwarded delivery. */
function forwardLine(event: TailEvent, outcome: Outcome, options: LineOptions & { url: string }) {
  const { status: code, error, durationMs } = outcome
  const { id } = factsOf(event)
  const redirect = code !== null && code >= 300 && code < 400 ? ' (redirects are not followed)' : ''
  const attempt = (event.attempt ?? 1) > 1 ? `  attempt ${event.attempt}` : ''
  const result = options.paint.tone(
    isAccepted(outcome) ? 'good' : 'bad',
    `${code ?? printable(error ?? 'no answer')}${redirect}`,
  )
  const payment = printable(id === null ? '' : `  ${shortened(id)}`)
  return `${clockTime(new Date().toISOString())}    -> ${printable(options.url)}  ${result}  ${durationMs} ms${payment}${attempt}`
}

/** The body for reading, indented. */
function bodyLines({ raw, data }: TailEvent): string[] {
  const text = raw ?? escapeHidden(JSON.stringify(data, null, 2))
  return text.split('\n').map((line) => `    ${printable(line)}`)
}
