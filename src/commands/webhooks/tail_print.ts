import { createOutput } from '../../output/create_output.ts'
import { loadPaint, wantsColour } from '../../run/colour.ts'
import type { Format } from '../../run/globals.ts'
import { write } from '../../run/sink.ts'
import type { Item } from '../../webhooks/delivery_handler.ts'
import { forwarded, type TailEvent } from '../../webhooks/event.ts'
import type { Context } from '../context.ts'
import { eventColumns } from './tail_columns.ts'
import { bodyLines, eventLine, forwardLine, type Look } from './tail_line.ts'

export interface Printing {
  readonly context: Context
  readonly forwardTo: string | undefined
  readonly body: boolean
  /** Called with an event once it has been written; says whether to go on. */
  readonly onPrinted: (event: TailEvent) => boolean
}

/** Prints events in the order they came in, until there are no more. */
export function printEvents(items: AsyncIterable<Item>, printing: Printing): Promise<void> {
  const format = streamFormat(printing.context)
  return format === 'table' ? printLines(items, printing) : printData(items, printing, format)
}

/** A list that never ends is no JSON document: json means a document a line, and so does a pipe by default. */
function streamFormat({ output, globals, env }: Context): Format {
  const isChosen = globals.json || globals.output !== undefined || env.PAYCTL_OUTPUT !== undefined
  if (output.format === 'json') return 'ndjson'
  return output.format === 'tsv' && !isChosen ? 'ndjson' : output.format
}

async function printData(items: AsyncIterable<Item>, printing: Printing, format: Format): Promise<void> {
  const { context, forwardTo, body, onPrinted } = printing
  const { io, env, globals, signal } = context
  const output = createOutput({ io, env, signal, globals: { ...globals, json: false, output: format } })
  const columns = eventColumns({ body, forward: forwardTo !== undefined })
  await output.stream(rows(items, onPrinted), columns)
}

/** One that is forwarded is printed when its answer is known: they belong together. */
async function* rows(items: AsyncIterable<Item>, onPrinted: Printing['onPrinted']): AsyncGenerator<TailEvent, void> {
  for await (const { event, isNew, forward } of items) {
    yield forward ? forwarded(event, await forward) : event
    if (isNew && !onPrinted(event)) return
  }
}

async function printLines(items: AsyncIterable<Item>, { context, forwardTo: url, body, onPrinted }: Printing) {
  const { io, globals, env } = context
  const isTerminal = io.stdout.isTTY === true
  const paint = await loadPaint(wantsColour(globals, env, isTerminal))
  const look = (): Look => ({ paint, width: isTerminal ? io.stdout.columns || 80 : Number.POSITIVE_INFINITY })
  const print = (line: string) => write(io.stdout, `${line}\n`)
  const answers = new Set<Promise<void>>()
  for await (const { event, isNew, forward } of items) {
    if (isNew) {
      await print(eventLine(event, look()))
      if (body) for (const line of bodyLines(event)) await print(line)
    }
    if (forward && url !== undefined) {
      const answer = forward.then((outcome) => print(forwardLine(event, outcome, { ...look(), url })))
      answers.add(answer)
      answer.then(
        () => answers.delete(answer),
        () => {}, // it is seen where all are waited for
      )
    }
    if (isNew && !onPrinted(event)) break
  }
  await Promise.all(answers)
}
