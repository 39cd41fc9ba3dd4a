import { UsageError } from '../errors/cli_error.ts'
import { type Environment, type Format, formats, type Globals, type Io } from '../run/invocation.ts'
import { loadPaint, marksFor, wantsColour } from '../run/style.ts'
import { inEnglish, say, type Translate } from '../words/text.ts'
import type { Column, Columns, Layout } from './output.ts'
import type { ListExtras, Renderer } from './renderer.ts'

/** Settings that decide the format of a run. */
export interface FormatSources {
  readonly globals: Globals
  readonly env: Environment
  /** The profile's format. Called only if neither flag nor environment decides. */
  readonly profileFormat?: () => string | undefined
  /** Default: English. */
  readonly translate?: Translate
}

/** Takes the format from flag, environment or profile; default: a table for a terminal and tsv for a pipe. */
export function chooseFormat({ globals, env, profileFormat }: FormatSources, isTerminal: boolean): Format {
  if (globals.json && globals.output && globals.output !== 'json') {
    throw new UsageError(
      say`--json and --output ${globals.output} ask for two formats.`,
      'Give one of them: --json is short for --output json.',
    )
  }
  if (globals.excel !== undefined) return excelFormat(globals)
  if (globals.jq !== undefined) return jqFormat(globals, () => env.PAYCTL_OUTPUT ?? profileFormat?.())
  const given = globals.json ? 'json' : (globals.output ?? env.PAYCTL_OUTPUT)
  const name = given ?? profileFormat?.()
  if (name === undefined) return isTerminal ? 'table' : 'tsv'
  const format = formats.find((one) => one === name)
  if (format) return format
  const quoted = `'${name}'`
  throw new UsageError(
    given === undefined
      ? say`The profile's output is ${quoted}, which is not an output format.`
      : say`PAYCTL_OUTPUT is ${quoted}, which is not an output format.`,
    say`Set it to one of: ${formats.join(', ')}`,
  )
}

function excelFormat({ json, output, jq }: Globals): Format {
  const other = jq === undefined && !json ? output : 'json'
  if (other === undefined || other === 'csv') return 'csv'
  throw new UsageError(
    say`--excel is a form of CSV, but ${other} is requested too.`,
    'Leave one of them out; for a workbook: --output xlsx',
  )
}

/** Format for jq, which reads JSON: a whole document, or a row at a time. */
function jqFormat({ json, output }: Globals, setting: () => string | undefined): Format {
  const format = json ? 'json' : output
  if (format !== undefined && format !== 'json' && format !== 'ndjson') {
    throw new UsageError(
      say`--jq filters JSON, but --output ${format} requests another format.`,
      'Leave --output out, or give --output ndjson to filter row by row.',
    )
  }
  return format ?? (setting() === 'ndjson' ? 'ndjson' : 'json')
}

/** The parts of a layout that one format shows. */
export interface FormatLayout<Row> extends ListExtras<Row> {
  readonly columns: readonly Column<Row>[]
}

/** The columns of a layout for a format. `isRecord`: for one record, which has room for everything. */
export function columnsFor<Row>(
  columnsOrLayout: Columns<Row>,
  { format, isRecord }: { readonly format: Format; readonly isRecord?: boolean },
): FormatLayout<Row> {
  const layout: Layout<Row> = 'columns' in columnsOrLayout ? columnsOrLayout : { columns: columnsOrLayout }
  const { columns, table, wide = columns, card } = layout
  if (format === 'wide') return { columns: wide.map(({ spare: _, ...column }) => column) }
  if (isRecord) return { columns, ...(card && { card }) }
  if (format !== 'table') return { columns }
  return { ...layout, columns: (table ?? columns).filter(({ detail }) => !detail) }
}

/** Loads the renderer of a format. */
export async function loadRenderer(
  format: Format,
  { stdout }: Pick<Io, 'stdout'>,
  { globals, env, translate = inEnglish }: FormatSources,
): Promise<Renderer> {
  switch (format) {
    case 'json':
    case 'ndjson': {
      const whole = (await import('./text_formats.ts'))[format]
      return globals.columns === undefined ? whole : (await import('./chosen_columns.ts')).ofMembers(whole)
    }
    case 'tsv':
      return (await import('./text_formats.ts')).tsv
    case 'yaml':
      return (await import('./yaml.ts')).yaml
    case 'csv': {
      const { csv, excelCsv } = await import('./spreadsheet_formats.ts')
      return globals.excel === undefined ? csv : excelCsv(globals.excel)
    }
    case 'xlsx': {
      const { csv, xlsx } = await import('./spreadsheet_formats.ts')
      return { ...csv, bytes: xlsx }
    }
    case 'table':
    case 'wide': {
      const isTerminal = stdout.isTTY === true
      const colour = wantsColour(globals, env, isTerminal)
      const [{ table }, paint] = await Promise.all([import('./table.ts'), loadPaint(colour)])
      const width = isTerminal && format === 'table' ? stdout.columns || 80 : Number.POSITIVE_INFINITY
      return table({ paint, marks: marksFor(env), width, translate })
    }
  }
}
