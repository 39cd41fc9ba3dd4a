import { isLoopback } from '../../client/loopback.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { createOutput } from '../../output/create_output.ts'
import { loadPaint, wantsColour } from '../../run/colour.ts'
import type { Format } from '../../run/globals.ts'
import { write } from '../../run/sink.ts'
import type { QueuedEvent } from '../../webhooks/delivery_handler.ts'
import { type TailEvent, withForward } from '../../webhooks/event.ts'
import { type TailOptions, tail } from '../../webhooks/tail.ts'
import type { Context } from '../context.ts'
import { reporterOf } from '../reporter.ts'
import { bodyLines, eventLine, forwardLine, type Look } from './print_tail.ts'
import { eventColumns } from './tail_columns.ts'

export interface TailFlags extends TailOptions {
  readonly printBody?: boolean
}

/** Without --limit a tail has no end of its own, so being stopped is no failure. */
export async function runTail(flags: TailFlags, context: Context): Promise<void> {
  const { baseUrl } = await context.target()
  requireReachable(baseUrl, flags)
  const { forwardTo, printBody: body = false, limit } = flags
  const { endedBy, printed } = await tail(flags, {
    baseUrl,
    client: await context.client(),
    clientUntil: (signal) => context.clientUntil(signal),
    stateDir: context.stateDir,
    signal: context.signal,
    reporter: reporterOf(context),
    print: (events, onPrinted) => printEvents(events, { context, forwardTo, body, onPrinted }),
  }).catch(explainPort(flags))
  if (limit === undefined || printed >= limit) return
  if (endedBy === 'interrupted') context.exitWith(exits.interrupted.code)
  if (endedBy === 'timeout') {
    throw new CliError('payment_in_progress', `The time ran out: ${printed} of ${limit} events came.`)
  }
}

/** A service elsewhere cannot deliver to this machine's loopback. */
function requireReachable(baseUrl: string, { publicUrl }: TailFlags): void {
  if (publicUrl !== undefined || isLoopback(baseUrl)) return
  throw new UsageError(
    `The service is on another machine (${new URL(baseUrl).host}) and cannot reach 127.0.0.1 on this one.`,
    'Open a tunnel to a port of this machine and name both: --port 4242 --public-url https://your-tunnel.example',
  )
}

/** The same error, or a UsageError when the receiver could not listen on its port. */
const explainPort =
  ({ port = 0 }: TailFlags) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.syscall !== 'listen') throw error
    const why = error.code === 'EADDRINUSE' ? `Port ${port} is taken.` : `Port ${port}: ${error.message}`
    throw new UsageError(why, 'Leave out --port to take any free one.')
  }

interface Printing {
  readonly context: Context
  readonly forwardTo: string | undefined
  readonly body: boolean
  /** Called with an event once it has been written; says whether to go on. */
  readonly onPrinted: (event: TailEvent) => boolean
}

function printEvents(events: AsyncIterable<QueuedEvent>, printing: Printing): Promise<void> {
  const format = streamFormat(printing.context)
  return format === 'table' ? printLines(events, printing) : printData(events, printing, format)
}

/** A list that never ends is no JSON document: json means a document a line, and so does a pipe by default. */
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

/** A forwarded event is printed together with its answer, once that is known. */
async function* rows(
  events: AsyncIterable<QueuedEvent>,
  onPrinted: Printing['onPrinted'],
): AsyncGenerator<TailEvent, void> {
  for await (const { event, isNew, forward } of events) {
    yield forward ? withForward(event, await forward) : event
    if (isNew && !onPrinted(event)) return
  }
}

async function printLines(
  events: AsyncIterable<QueuedEvent>,
  { context, forwardTo: url, body, onPrinted }: Printing,
): Promise<void> {
  const { io, globals, env } = context
  const isTerminal = io.stdout.isTTY === true
  const paint = await loadPaint(wantsColour(globals, env, isTerminal))
  const look = (): Look => ({ paint, width: isTerminal ? io.stdout.columns || 80 : Number.POSITIVE_INFINITY })
  const print = (line: string) => write(io.stdout, `${line}\n`)
  const answers = new Set<Promise<void>>()
  for await (const { event, isNew, forward } of events) {
    if (isNew) {
      await print(eventLine(event, look()))
      if (body) for (const line of bodyLines(event)) await print(line)
    }
    if (forward && url !== undefined) {
      const answer = forward.then((outcome) => print(forwardLine(event, outcome, { ...look(), url })))
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
