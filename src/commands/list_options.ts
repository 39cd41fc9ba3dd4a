import { type Command, CommanderError, Option } from 'commander'
import { UsageError } from '../errors/cli_error.ts'
import { field, prose } from '../output/columns.ts'
import type { Column, Columns } from '../output/output.ts'
import type { Context } from './context.ts'

type Later<Row> = () => Promise<Columns<Row>>

interface ListFlags {
  readonly columns?: readonly string[]
  readonly sort?: string
}

/** `--columns` and `--sort` of a command that prints such a list. Wrong names are refused before any request. */
export function listOptions<Row>(command: Command, columns: Columns<Row> | Later<Row>, context: Context): Command {
  return command
    .addOption(
      new Option('--columns <names>', 'what to print, a,b,c: any field; help lists them').argParser((text) =>
        text.split(',').map((name) => name.trim()),
      ),
    )
    .option('--sort <column>', 'sort the list; <column>:desc downwards')
    .hook('preAction', async (_, action) => {
      const flags = command.opts<ListFlags>()
      if (action !== command || (flags.columns === undefined && flags.sort === undefined)) return
      await check(flags, typeof columns === 'function' ? await columns() : columns, context)
    })
}

async function check<Row>(flags: ListFlags, layout: Columns<Row>, { output, globals }: Context): Promise<void> {
  const [{ describedColumns }, { orderOf, requireKnown }] = await Promise.all([
    import('./column_help.ts'),
    import('../output/chosen_columns.ts'),
  ])
  const described = await describedColumns(layout)
  const { columns = [], sort } = flags
  if (columns.join() === 'help') {
    await output.list(described, helpColumns)
    throw new CommanderError(0, 'payctl.columns', 'the columns were listed')
  }
  if (columns.length > 0 && !['table', 'csv', 'tsv'].includes(output.format)) {
    throw new UsageError(
      `--columns chooses columns of tables, csv and tsv; ${output.format} has every field.`,
      'Leave it out, or choose fields with --jq',
    )
  }
  if (sort !== undefined && globals.jq !== undefined) {
    throw new UsageError('--sort and --jq do not go together.', "jq sorts: --jq 'sort_by(.field)'")
  }
  const names = sort === undefined ? columns : [...columns, orderOf(sort).name]
  requireKnown(
    names,
    described.map(({ column }) => column),
  )
}

interface Described {
  readonly column: string
  readonly meaning: string
}

const helpColumns: readonly Column<Described>[] = [
  { ...field<Described>('column', ({ column }) => column), uncut: true },
  prose('meaning', ({ meaning }) => meaning),
]
