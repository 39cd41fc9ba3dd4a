import { loadPaint, wantsColour } from '../run/colour.ts'
import type { Environment, Format, Globals, Io } from '../run/invocation.ts'
import { printable } from '../run/sanitise.ts'
import { write } from '../run/sink.ts'
import { chooseFormat } from './format.ts'
import type { Output } from './output.ts'
import type { Renderer } from './renderer.ts'

interface OutputOptions {
  readonly io: Io
  readonly env: Environment
  readonly globals: Globals
  /** Interrupts the run. */
  readonly signal?: AbortSignal
  readonly profileFormat?: () => string | undefined
}

/** Loads formats and colours with the first result. */
export function createOutput(options: OutputOptions): Output {
  const { io, env, globals, signal } = options
  const { stdout, stderr } = io
  const isTerminal = stdout.isTTY === true
  const format = chooseFormat(options, isTerminal)
  let loading: Promise<Renderer> | undefined
  const renderer = () => {
    loading ??= loadRenderer(format, {
      colour: wantsColour(globals, env, isTerminal),
      width: isTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    })
    return loading
  }
  const writeAll = async (texts: AsyncIterable<string>) => {
    for await (const text of texts) await write(stdout, text, signal)
  }
  const note = (text: string) => {
    if (!globals.quiet) stderr.write(`${printable(text)}\n`)
  }
  return {
    format,
    async record(data, columns) {
      await write(stdout, (await renderer()).record(data, columns), signal)
    },
    async list(rows, columns, { data, none } = {}) {
      const { whole, rows: render } = await renderer()
      if (whole && data !== undefined) await write(stdout, whole(data), signal)
      else await writeAll(render(rows, columns))
      if (rows.length === 0 && none !== undefined) note(none)
    },
    async stream(rows, columns, { none } = {}) {
      await writeAll((await renderer()).rows(noting(rows, none, note), columns))
    },
    line: (text) => write(stdout, `${isTerminal ? printable(text) : text}\n`, signal),
    note,
  }
}

/** The same rows; prints `none` if there are none, because an empty screen looks like a failure. */
export async function* noting<Row>(
  rows: AsyncIterable<Row>,
  none: string | undefined,
  note: (text: string) => void,
): AsyncGenerator<Row, void> {
  let isEmpty = true
  for await (const row of rows) {
    isEmpty = false
    yield row
  }
  if (isEmpty && none !== undefined) note(none)
}

interface TerminalOptions {
  readonly colour: boolean
  readonly width: number
}

async function loadRenderer(format: Format, { colour, width }: TerminalOptions): Promise<Renderer> {
  switch (format) {
    case 'json':
      return (await import('./json.ts')).json
    case 'ndjson':
      return (await import('./json.ts')).ndjson
    case 'yaml':
      return (await import('./yaml.ts')).yaml
    case 'csv':
      return (await import('./csv.ts')).csv
    case 'tsv':
      return (await import('./separated.ts')).tsv
    case 'table': {
      const [{ table }, paint] = await Promise.all([import('./table.ts'), loadPaint(colour)])
      return table(paint, width)
    }
  }
}
