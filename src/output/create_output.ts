import { originalOf } from '../client/decode.ts'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { hanging, textWidth } from '../run/cell_lines.ts'
import type { Format, Io } from '../run/invocation.ts'
import { printable } from '../run/sanitise.ts'
import { write } from '../run/sink.ts'
import { asText, inEnglish, type Said, say, Text, type Translate } from '../words/text.ts'
import { chooseFormat, columnsFor, type FormatLayout, type FormatSources, loadRenderer } from './format.ts'
import type { Columns, Output } from './output.ts'
import type { Renderer, Rows } from './renderer.ts'

interface OutputOptions extends FormatSources {
  readonly io: Io
  /** Interrupts the run. */
  readonly signal?: AbortSignal
}

/** Creates an output that loads formats and colours with the first result. */
export function createOutput(options: OutputOptions): Output {
  const { io, globals, signal, translate = inEnglish } = options
  const { stdout, stderr } = io
  const isTerminal = stdout.isTTY === true
  const format = chooseFormat(options, isTerminal)
  // Refused before any work: an error after a payment could hide the payment.
  if (format === 'xlsx' && isTerminal) {
    throw new UsageError("A workbook can't be shown on a terminal.", 'Send it to a file: -o xlsx > list.xlsx')
  }
  let loading: Promise<Renderer> | undefined
  const renderer = () => {
    loading ??= loadRenderer(format, io, options)
    return loading
  }
  const layoutFor = <Row>(columns: Columns<Row>, isRecord = false) =>
    chosenLayout(columns, { format, isRecord, chosen: globals.columns })
  const writeRows = async <Row>(rows: Rows<Row>, layout: Columns<Row>) => {
    const { columns, ...extras } = await layoutFor(layout)
    const { rows: render, bytes } = await renderer()
    if (bytes) return write(stdout, await bytes(rows, columns), signal)
    const left: string[] = []
    const onLeftOut = (names: readonly string[]) => void left.push(...names)
    for await (const text of render(rows, columns, { ...extras, onLeftOut })) await write(stdout, text, signal)
    if (left.length > 0) note(say`Left out: ${left.join(', ')}. Wider terminal, or -o wide`)
  }
  const note = globals.quiet ? () => {} : notesOn(stderr, translate)
  const output: Output = {
    format: format === 'wide' ? 'table' : format,
    async record(data, columns) {
      const layout = await layoutFor(columns, true)
      const { bytes, record } = await renderer()
      const content = bytes ? await bytes([data], layout.columns) : record(data, layout.columns, layout.card)
      await write(stdout, content, signal)
    },
    async list(given, layout, { data, none, part } = {}) {
      const { sort } = globals
      if (sort !== undefined && part !== undefined) throw unsortable(part)
      const rows = sort === undefined ? given : (await import('./chosen_columns.ts')).sorted(given, sort, layout)
      const { whole } = await renderer()
      if (whole && data !== undefined) await write(stdout, whole(rows === given ? data : withItems(data, rows)), signal)
      else await writeRows(rows, layout)
      if (rows.length === 0 && none !== undefined) note(none)
    },
    async stream(rows, layout, { none, sortable } = {}) {
      if (globals.sort === undefined) return writeRows(withNoteIfEmpty(rows, none, note), layout)
      if (!sortable) throw unsortable('these rows are printed as they arrive')
      const all = []
      for await (const row of rows) all.push(row)
      await output.list(all, layout, { none })
    },
    line(said) {
      const text = said instanceof Text ? translate(said) : said
      return write(stdout, `${isTerminal ? printable(text) : text}\n`, signal)
    },
    note,
    commandNote(label, command) {
      if (!globals.quiet) stderr.write(`${printable(`${translate(label)} ${command.map(quoted).join(' ')}`)}\n`)
    },
  }
  return output
}

interface LayoutChoice {
  readonly format: Format
  readonly isRecord: boolean
  /** Names in the value of `--columns`. */
  readonly chosen: readonly string[] | undefined
}

async function chosenLayout<Row>(
  columns: Columns<Row>,
  { format, isRecord, chosen }: LayoutChoice,
): Promise<FormatLayout<Row>> {
  // `help` lists the column names; it is not a column.
  if (chosen === undefined || chosen.join() === 'help') return columnsFor(columns, { format, isRecord })
  const { chosenColumns } = await import('./chosen_columns.ts')
  return { columns: chosenColumns(chosen, columns, format) }
}

const notesOn =
  (stderr: Io['stderr'], translate: Translate) =>
  (text: Said): void => {
    const clean = printable(translate(text))
    if (stderr.isTTY !== true) stderr.write(`${clean}\n`)
    else for (const line of onTerminal(clean, stderr.columns || 80)) stderr.write(`${line}\n`)
  }

/** Puts a command at the end of a longer text on a separate, unbroken line, so that people can copy it. */
function onTerminal(text: string, width: number): readonly string[] {
  const [, words, command] = /^(.*:) (payctl .*)$/s.exec(text) ?? []
  if (words === undefined || textWidth(text) <= width) return hanging(text, width)
  return [...hanging(words, width), `  ${command}`]
}

const unsortable = (reason: Said): UsageError =>
  new UsageError(
    say`--sort needs the whole list, but ${asText(reason)}.`,
    'Use a page that holds all rows: --per-page 1000, without --all',
  )

/** Replaces the items of an answer with these rows. */
const withItems = <Row>(data: unknown, rows: readonly Row[]): unknown => {
  const originals = rows.map(originalOf)
  return Array.isArray(data) ? originals : { ...(originalOf(data) as object), data: originals }
}

/** Yields the rows; notes `none` if there are none, because an empty screen looks like a failure. */
export async function* withNoteIfEmpty<Row>(
  rows: AsyncIterable<Row>,
  none: Said | undefined,
  note: (text: Said) => void,
): AsyncGenerator<Row, void> {
  let isEmpty = true
  for await (const row of rows) {
    isEmpty = false
    yield row
  }
  if (isEmpty && none !== undefined) note(none)
}
