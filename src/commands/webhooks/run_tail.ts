import type { Context } from '../../cli/command.ts'
import { endlessOutput } from '../../cli/endless_output.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { isLoopback } from '../../client/base_url.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { columnsOf, field } from '../../output/columns.ts'
import type { Column, Output } from '../../output/output.ts'
import type { QueuedEvent } from '../../webhooks/delivery_handler.ts'
import { factsOf, type TailEvent, withForward } from '../../webhooks/event.ts'
import { tail } from '../../webhooks/tail.ts'
import { signingOf, warnOfPlainHttp } from './flags.ts'
import type { TailFlags } from './tail.ts'

/** Without --limit a tail runs until it is stopped, so a stop is not a failure. */
export async function runTail(flags: TailFlags, context: Context): Promise<void> {
  const { baseUrl } = await context.target()
  requireReachable(baseUrl, flags)
  const { printBody: body = false, limit } = flags
  const forwards = flags.forwardTo !== undefined || flags.route !== undefined
  if (!forwards && flags.secretFile !== undefined) {
    throw new UsageError(
      '--secret-file signs forwarded deliveries, but none are forwarded.',
      'Add --forward-to or --route',
    )
  }
  warnOfPlainHttp([flags.forwardTo, ...(flags.route ?? []).map(({ url }) => url)], context)
  const signing = await signingOf(flags)
  const { endedBy, printed } = await tail(
    { ...flags, signing, recover: flags.recover !== false },
    {
      baseUrl,
      client: await context.client(),
      clientUntil: (signal) => context.clientUntil(signal),
      stateDir: context.stateDir,
      signal: context.signal,
      reporter: reporterOf(context),
      print: (events, onPrinted) =>
        printEvents(events, { context, forwards, isRouted: flags.route !== undefined, body, onPrinted }),
    },
  ).catch(explainPort(flags))
  if (limit === undefined || printed >= limit) return
  if (endedBy === 'interrupted') context.exitWith(exits.interrupted.code)
  if (endedBy === 'timeout') {
    throw new CliError('payment_in_progress', `The time ran out. Events received: ${printed} of ${limit}.`)
  }
}

/** A service on another machine cannot deliver to loopback. */
function requireReachable(baseUrl: string, { publicUrl }: TailFlags): void {
  if (publicUrl !== undefined || isLoopback(baseUrl)) return
  throw new UsageError(
    `The service is on another machine (${new URL(baseUrl).host}) and cannot reach 127.0.0.1 on this machine.`,
    'Open a tunnel to a port of this machine, and name the port and the tunnel: --port 4242 --public-url https://your-tunnel.example',
  )
}

/** Throws a UsageError if the receiver could not listen on its port, otherwise the original error. */
const explainPort =
  ({ port = 0 }: TailFlags) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.syscall !== 'listen') throw error
    const why = error.code === 'EADDRINUSE' ? `Port ${port} is taken.` : `Port ${port}: ${error.message}`
    throw new UsageError(why, 'Leave out --port to take any free port.')
  }

export interface Printing {
  readonly context: Context
  /** True if some events are forwarded. */
  readonly forwards: boolean
  /** True if `--route` is set: events may go to several URLs. */
  readonly isRouted: boolean
  readonly body: boolean
  /** Called after an event is written. Returns false to stop. */
  readonly onPrinted: (event: TailEvent) => boolean
}

/** Prints events in order, in the format of the run. */
async function printEvents(events: AsyncIterable<QueuedEvent>, printing: Printing): Promise<void> {
  const output = endlessOutput(printing.context)
  if (output.format !== 'table' || printing.context.globals.columns) return printData(events, printing, output)
  const { printLines } = await import('./event_lines.ts')
  await printLines(events, printing)
}

async function printData(events: AsyncIterable<QueuedEvent>, printing: Printing, output: Output): Promise<void> {
  const { context, forwards, body, onPrinted } = printing
  const columns = context.globals.columns ? allColumns() : eventColumns({ body, forward: forwards })
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

/** Columns of csv and tsv. */
const eventColumns = ({ body, forward }: { readonly body: boolean; readonly forward: boolean }) =>
  columnsOf<TailEvent>(
    'received_at',
    'event',
    'recovered',
    field('payment_id', (event: TailEvent) => factsOf(event).id),
    field('status', (event: TailEvent) => factsOf(event).status),
    field('channel', (event: TailEvent) => factsOf(event).channel),
    field('transfer_type', (event: TailEvent) => factsOf(event).transferType),
    field('amount', (event: TailEvent) => factsOf(event).amount),
    field('currency', (event: TailEvent) => factsOf(event).currency),
    field('counterparty', (event: TailEvent) => factsOf(event).counterparty),
    field('error', (event: TailEvent) => factsOf(event).error),
    'delivery_id',
    'attempt',
    ...(forward ? forwardColumns : []),
    ...(body ? [field<TailEvent>('body', ({ raw, data }) => raw ?? JSON.stringify(data))] : []),
  )

/** Columns that `--columns` accepts. */
export const allColumns = (): readonly Column<TailEvent>[] => eventColumns({ body: true, forward: true })

const forwardColumns: readonly Column<TailEvent>[] = [
  field('forward_status', ({ forward }) => forward?.status),
  field('forward_ms', ({ forward }) => forward?.duration_ms),
  field('forward_error', ({ forward }) => forward?.error),
  field('forward_url', ({ forward }) => forward?.url),
  field('forward_answer', ({ forward }) => forward?.answer),
]
