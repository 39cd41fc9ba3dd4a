import { type Command, CommanderError, Option } from 'commander'
import { UsageError } from '../errors/cli_error.ts'
import { field, prose } from '../output/columns.ts'
import type { Column, Columns } from '../output/output.ts'
import { isTabular } from '../run/invocation.ts'
import { say } from '../words/text.ts'
import type { Described } from './column_help.ts'
import type { Context, Prints } from './command.ts'

/** Returns the columns for the command's arguments; null if the columns depend on the answer. */
type Later<Row> = (words: readonly string[]) => Promise<Columns<Row> | null>

interface ListFlags {
  readonly columns?: readonly string[]
  readonly sort?: string
}

/** Adds `--columns` and `--sort` to a command. Refuses unknown names of columns before any request. */
export const listOptions = <Row>(
  command: Command,
  columns: Columns<Row> | Later<Row>,
  context: Context,
  prints?: Prints,
): Command =>
  columnsOption(command, columns, context, prints).option('--sort <column>', 'sort the list; <column>:desc downwards')

/** Adds `--columns` without `--sort`, for output in a fixed order. */
export const columnsOption = <Row>(
  command: Command,
  columns: Columns<Row> | Later<Row>,
  context: Context,
  prints?: Prints,
): Command =>
  command.addOption(columnsFlag()).hook('preAction', async (_, action) => {
    const flags = command.opts<ListFlags>()
    if (action !== command || (flags.columns === undefined && flags.sort === undefined)) return
    const layout = typeof columns === 'function' ? await columns(action.args) : columns
    await (layout === null ? checkUnknown(flags, context) : check(flags, { layout, prints }, context))
  })

const columnsFlag = (): Option =>
  new Option('--columns <names>', 'columns to print: a,b; --columns help lists all').argParser((text) =>
    text.split(',').map((name) => name.trim()),
  )

/**
 * Checks flags of a list whose columns depend on the answer (`payctl api`). Formats without rows print the answer
 * unchanged.
 */
async function checkUnknown({ columns, sort }: ListFlags, { output }: Context): Promise<void> {
  if (columns?.join() === 'help') {
    throw new UsageError('The columns are the fields of the answer.', 'See them with --json')
  }
  if (columns !== undefined && !isTabular(output.format)) {
    throw (await import('../output/chosen_columns.ts')).noColumns(output.format)
  }
  if (sort === undefined || isTabular(output.format)) return
  throw new UsageError(
    say`--sort sorts tables, csv and tsv; ${output.format} prints the answer unchanged.`,
    "jq sorts: --jq 'sort_by(.field)'",
  )
}

export interface List<Row> {
  readonly layout: Columns<Row>
  /** Output with --json, if it has fields that are not columns. */
  readonly prints?: Prints | undefined
}

async function check<Row>(
  flags: ListFlags,
  { layout, prints }: List<Row>,
  { output, globals }: Context,
): Promise<void> {
  const [{ describedColumns }, { hasColumns, noColumns, parseSort, requireKnown }] = await Promise.all([
    import('./column_help.ts'),
    import('../output/chosen_columns.ts'),
  ])
  const described = await describedColumns(layout, prints)
  const { columns = [], sort } = flags
  if (columns.join() === 'help') {
    await output.list(described, helpColumns)
    throw new CommanderError(0, 'payctl.columns', 'columns listed')
  }
  if (columns.length > 0 && !hasColumns(output.format, globals)) throw noColumns(output.format)
  if (sort !== undefined && globals.jq !== undefined) {
    throw new UsageError("--sort and --jq can't be combined.", "jq sorts: --jq 'sort_by(.field)'")
  }
  const names = sort === undefined ? columns : [...columns, parseSort(sort).name]
  if ('isOpen' in layout && layout.isOpen) return
  requireKnown(
    names,
    described.map(({ column }) => column),
  )
}

/** Refuses names of columns that a batch file does not have. Call this function when the batch is known. */
export async function requireColumnsOfBatch<Row>(
  { layout, prints }: List<Row>,
  { globals: { columns: chosen = [] } }: Context,
): Promise<void> {
  if (chosen.length === 0) return
  const [{ describedColumns }, { requireKnown }] = await Promise.all([
    import('./column_help.ts'),
    import('../output/chosen_columns.ts'),
  ])
  const described = await describedColumns(layout, prints)
  requireKnown(
    chosen,
    described.map(({ column }) => column),
    'Nothing was sent.',
  )
}

const helpColumns: readonly Column<Described>[] = [
  { ...field<Described>('column', ({ column }) => column), uncut: true },
  prose('meaning', ({ meaning }) => meaning),
]
