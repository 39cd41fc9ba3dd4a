import type { Context } from '../../cli/command.ts'
import { field } from '../../output/columns.ts'
import { createOutput } from '../../output/create_output.ts'
import type { Column } from '../../output/output.ts'
import type { Format } from '../../run/invocation.ts'
import type { QueuedEvent } from '../../webhooks/delivery_handler.ts'
import { factsOf, type TailEvent, withForward } from '../../webhooks/event.ts'

export interface Printing {
  readonly context: Context
  /** True if some events are forwarded. */
  readonly forwards: boolean
  /** True if events go to several URLs. */
  readonly isRouted: boolean
  readonly body: boolean
  /** Called with an event that has been written. Returns whether to go on. */
  readonly onPrinted: (event: TailEvent) => boolean
}

/** Prints events in their order, in the format of the run. */
export async function printEvents(events: AsyncIterable<QueuedEvent>, printing: Printing): Promise<void> {
  const format = streamFormat(printing.context)
  if (format !== 'table' || printing.context.globals.columns) return printData(events, printing, format)
  const { printLines } = await import('./event_lines.ts')
  await printLines(events, printing)
}

/** The list has no end, so `json` means one document a line, which is also the default for a pipe. */
function streamFormat({ output, globals, env }: Context): Format {
  const isChosen =
    globals.json || [globals.output, globals.columns, env.PAYCTL_OUTPUT].some((given) => given !== undefined)
  if (output.format === 'json') return 'ndjson'
  return output.format === 'tsv' && !isChosen ? 'ndjson' : output.format
}

async function printData(events: AsyncIterable<QueuedEvent>, printing: Printing, format: Format): Promise<void> {
  const { context, forwards, body, onPrinted } = printing
  const { io, env, globals, signal } = context
  const output = createOutput({ io, env, signal, globals: { ...globals, json: false, output: format } })
  const columns = globals.columns ? allColumns() : eventColumns({ body, forward: forwards })
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

/** Columns that `--columns` accepts. */
export const allColumns = (): readonly Column<TailEvent>[] => eventColumns({ body: true, forward: true })

const forwardColumns: readonly Column<TailEvent>[] = [
  field('forward_status', ({ forward }) => forward?.status),
  field('forward_ms', ({ forward }) => forward?.duration_ms),
  field('forward_error', ({ forward }) => forward?.error),
  field('forward_url', ({ forward }) => forward?.url),
  field('forward_answer', ({ forward }) => forward?.answer),
]
