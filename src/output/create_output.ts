import { originalOf } from '../client/decode.ts'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { hanging, textWidth } from '../run/cell_lines.ts'
import { loadPaint, wantsColour } from '../run/colour.ts'
import type { Environment, Format, Globals, Io } from '../run/invocation.ts'
import { marksFor } from '../run/marks.ts'
import { printable } from '../run/sanitise.ts'
import { write } from '../run/sink.ts'
import { chooseFormat } from './format.ts'
import { columnsFor, type Shown } from './layout.ts'
import type { Columns, Output } from './output.ts'
import type { Renderer } from './renderer.ts'

interface OutputOptions {
  readonly io: Io
  readonly env: Environment
  readonly globals: Globals
  /** Interrupts the run. */
  readonly signal?: AbortSignal
  readonly profileFormat?: () => string | undefined
}

/** Creates an output that loads formats and colours with the first result. */
export function createOutput(options: OutputOptions): Output {
  const { io, globals, signal } = options
  const { stdout, stderr } = io
  const isTerminal = stdout.isTTY === true
  const asked = chooseFormat(options, isTerminal)
  const format = asked === 'wide' ? 'table' : asked
  // Check before any work: the error must not hide a payment.
  if (format === 'xlsx' && isTerminal) {
    throw new UsageError("A workbook can't be shown on a terminal.", 'Send it to a file: -o xlsx > list.xlsx')
  }
  let loading: Promise<Renderer> | undefined
  const renderer = () => {
    loading ??= loadRenderer(asked, options, isTerminal)
    return loading
  }
  const writeAll = async (texts: AsyncIterable<string>) => {
    for await (const text of texts) await write(stdout, text, signal)
  }
  const note = globals.quiet ? () => {} : notesOn(stderr)
  const typed = globals.quiet ? () => {} : commandsOn(stderr)
  const shownOf = <Row>(layout: Columns<Row>) => shownColumns(layout, asked, globals.columns)
  const output: Output = {
    format,
    async record(data, layout) {
      const isChosen = globals.columns !== undefined
      const { columns, card } = isChosen ? await shownOf(layout) : columnsFor(layout, { format: asked, isRecord: true })
      const { bytes, record } = await renderer()
      await write(stdout, bytes ? await bytes([data], columns) : record(data, columns, card), signal)
    },
    async list(given, layout, { data, none, part } = {}) {
      const { whole, rows: render, bytes } = await renderer()
      const { columns, ...extras } = await shownOf(layout)
      if (globals.sort !== undefined && part !== undefined) throw unsortable(part)
      const rows = globals.sort === undefined ? given : await sortedBy(globals.sort, given, layout)
      if (bytes) await write(stdout, await bytes(rows, columns), signal)
      else if (whole && data !== undefined)
        await write(stdout, whole(rows === given ? data : inOrder(data, rows)), signal)
      else await writeAll(render(rows, columns, extras))
      if (rows.length === 0 && none !== undefined) note(none)
    },
    async stream(rows, layout, { none, sortable } = {}) {
      if (globals.sort !== undefined) {
        if (!sortable) throw unsortable('these rows are printed as they come')
        return output.list(await collected(rows), layout, { none })
      }
      const { columns, ...extras } = await shownOf(layout)
      const { rows: render, bytes } = await renderer()
      const noted = noting(rows, none, note)
      if (bytes) await write(stdout, await bytes(noted, columns), signal)
      else await writeAll(render(noted, columns, extras))
    },
    line: (text) => write(stdout, `${isTerminal ? printable(text) : text}\n`, signal),
    note,
    typed,
  }
  return output
}

/** Prints notes to people. */
const notesOn =
  (stderr: Io['stderr']) =>
  (text: string): void => {
    const clean = printable(text)
    if (stderr.isTTY !== true) stderr.write(`${clean}\n`)
    else for (const line of onTerminal(clean, stderr.columns || 80)) stderr.write(`${line}\n`)
  }

/** Puts a command at the end of a longer text on a separate, unbroken line, so that people can copy it. */
function onTerminal(text: string, width: number): readonly string[] {
  const [, words, command] = /^(.*:) (payctl .*)$/s.exec(text) ?? []
  if (words === undefined || textWidth(text) <= width) return hanging(text, width)
  return [...hanging(words, width), `  ${command}`]
}

/** Prints commands to type. */
const commandsOn =
  (stderr: Io['stderr']) =>
  (label: string, command: readonly string[]): void => {
    stderr.write(`${printable(`${label} ${command.map(quoted).join(' ')}`)}\n`)
  }

/** `chosen`: the names that `--columns` gives. */
async function shownColumns<Row>(
  layout: Columns<Row>,
  format: Format,
  chosen: Globals['columns'],
): Promise<Shown<Row>> {
  // `help` lists the column names; it is not a column.
  if (chosen === undefined || chosen.join() === 'help') return columnsFor(layout, { format })
  const { chosenColumns } = await import('./chosen_columns.ts')
  return { columns: chosenColumns(chosen, layout, format) }
}

async function collected<Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}

const unsortable = (reason: string): UsageError =>
  new UsageError(
    `--sort needs the whole list, and ${reason}.`,
    'Take a page that holds all: --per-page 1000, without --all',
  )

async function sortedBy<Row>(order: string, rows: readonly Row[], layout: Columns<Row>): Promise<readonly Row[]> {
  const { sorted } = await import('./chosen_columns.ts')
  return sorted(rows, order, layout)
}

/** Replaces the items of an answer with these rows. */
const inOrder = <Row>(data: unknown, rows: readonly Row[]): unknown => {
  const originals = rows.map(originalOf)
  return Array.isArray(data) ? originals : { ...(originalOf(data) as object), data: originals }
}

/** Yields the rows; notes `none` if there are none, because an empty screen looks like a failure. */
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

async function loadRenderer(
  format: Format,
  { io, env, globals }: OutputOptions,
  isTerminal: boolean,
): Promise<Renderer> {
  switch (format) {
    case 'json':
      return (await import('./json.ts')).json
    case 'ndjson':
      return (await import('./json.ts')).ndjson
    case 'yaml':
      return (await import('./yaml.ts')).yaml
    case 'csv':
      if (globals.excel !== undefined) return (await import('./excel_csv.ts')).excelCsv(globals.excel)
      return (await import('./csv.ts')).csv
    case 'xlsx': {
      const { xlsx } = await import('./xlsx.ts')
      const { csv } = await import('./csv.ts')
      return { ...csv, bytes: xlsx }
    }
    case 'tsv':
      return (await import('./separated.ts')).tsv
    case 'table':
    case 'wide': {
      const colour = wantsColour(globals, env, isTerminal)
      const [{ table }, paint] = await Promise.all([import('./table.ts'), loadPaint(colour)])
      const width = isTerminal && format === 'table' ? io.stdout.columns || 80 : Number.POSITIVE_INFINITY
      return table({ paint, marks: marksFor(globals, env), width })
    }
  }
}
