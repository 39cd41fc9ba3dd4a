import type { CommandModule, Context } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'
import { printsOf } from '../cli/prints.ts'
import { builtInForms } from '../cli/short_forms.ts'
import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { toRun } from '../errors/next_step.ts'
import { field } from '../output/columns.ts'
import type { Column } from '../output/output.ts'
import { documentOutput } from './api/rows.ts'

interface Flags {
  readonly envelope?: boolean
  readonly dryRun?: boolean
}

/** What a command prints as JSON, by its name. */
interface Listed {
  readonly command: string
  readonly shape: string
}

const columns: readonly Column<Listed>[] = [
  { ...field<Listed>('command', ({ command }) => command), uncut: true },
  field<Listed>('shape', ({ shape }) => shape),
]

export const schema: CommandModule = (command, context) => {
  command
    .description(
      'Print the JSON Schema (draft 2020-12) of what a command prints with --json. Without a command: which there are, and ' +
        'whether each prints an array, an object, lines (each of them a document), text or nothing. Asks no service.',
    )
    .argument('[command...]', "the command, or error: what is printed on stderr. 'id' behind it: as it is with an id")
    .option('--envelope', 'of the page that the command prints with --envelope')
    .option('--dry-run', 'of what the command prints with --dry-run')
    .action((words: readonly string[], flags: Flags) =>
      words.length === 0 ? printList(context) : printSchema(words, flags, context),
    )
  examples(command, [
    'payctl schema payments history',
    'payctl schema payments history --envelope',
    'payctl schema payments intents id',
    'payctl schema error',
    'payctl schema --jq \'.[] | select(.shape == "lines").command\'',
  ])
}

async function printList({ output, root }: Context): Promise<void> {
  const outputs = await printsOf(root)
  await output.list(
    Object.entries(outputs).map(([command, { shape }]) => ({ command, shape })),
    columns,
  )
}

async function printSchema(words: readonly string[], { envelope, dryRun }: Flags, context: Context): Promise<void> {
  const output = documentOutput(context, 'A JSON Schema')
  const [outputs, { schemaDocument }] = await Promise.all([printsOf(context.root), import('../cli/schema/document.ts')])
  const [first = '', ...others] = words
  const whole = Object.hasOwn(builtInForms, first) ? [...(builtInForms[first] ?? []), ...others] : words
  const asked = [...whole, ...(envelope ? ['--envelope'] : []), ...(dryRun ? ['--dry-run'] : [])].join(' ')
  const name = Object.keys(outputs).find((one) => one === asked || one.replace(/[<>]/g, '') === asked)
  const found = name === undefined ? undefined : outputs[name]
  if (name === undefined || !found) throw unknown(asked, Object.keys(outputs))
  if (!('schema' in found)) {
    const what = found.shape === 'text' ? 'text' : 'nothing on stdout'
    throw new UsageError(`payctl ${name} prints ${what}, so it has no schema.`, toRun(['schema']))
  }
  await output.record(schemaDocument(titleOf(name, found.shape), await found.schema()), [])
}

function titleOf(name: string, shape: string): string {
  if (name === 'error') return 'An error of payctl --json, on stderr'
  return shape === 'lines' ? `A line of payctl ${name} --json` : `payctl ${name} --json`
}

function unknown(asked: string, names: readonly string[]): UsageError {
  const near = names.find((name) => name.startsWith(`${asked} `)) ?? nearest(asked, names)
  return new UsageError(
    `There is no output of '${asked}'.`,
    near === undefined ? toRun(['schema'], 'See what there is') : `Did you mean ${near}?`,
  )
}
