import { type Context, command } from '../cli/command.ts'
import { array, object, printsOf } from '../cli/prints.ts'
import { builtInForms } from '../cli/short_forms.ts'
import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { toRun } from '../errors/next_step.ts'
import { columnsOf, field } from '../output/columns.ts'
import { documentOutput } from './api/answer.ts'

/** Shape of the JSON output of a command. */
interface CommandShape {
  readonly command: string
  readonly shape: string
}

const columns = columnsOf<CommandShape>({ ...field('command'), uncut: true }, 'shape')

export const schema = command({
  summary: 'JSON Schema of a command’s output',
  about:
    'Print the JSON Schema (draft 2020-12) of a command’s --json output. Without a command, prints a list of the ' +
    'commands and the kind of output of each: array, object, lines (one JSON document a line), text or nothing. Sends ' +
    'no request.',
  args: {
    '[command...]': {
      about: "a command, or 'error' for errors on stderr; after a command, 'id' means the output for one id",
      of: 'output',
      as: 'words',
    },
  },
  flags: {
    '--envelope': { about: 'schema of the output with --envelope' },
    '--dry-run': { about: 'schema of the output with --dry-run' },
  },
  prints: {
    '': array(async () => (await import('./schema/machine_shapes.ts')).outputRow),
    '<command>': object(async () => (await import('typebox')).Type.Object({})),
  },
  examples: [
    'payctl schema payments history',
    'payctl schema payments history --envelope',
    'payctl schema payments outbox id',
    'payctl schema error',
    'payctl schema --jq \'.[] | select(.shape == "lines").command\'',
  ],
  run: ({ words, ...variant }, context) =>
    words.length === 0 ? printList(context) : printSchema(words, variant, context),
})

interface Variant {
  readonly envelope: true | undefined
  readonly dryRun: true | undefined
}

async function printList({ output, root }: Context): Promise<void> {
  const outputs = await printsOf(root)
  await output.list(
    Object.entries(outputs).map(([command, { shape }]) => ({ command, shape })),
    columns,
  )
}

async function printSchema(words: readonly string[], { envelope, dryRun }: Variant, context: Context): Promise<void> {
  const output = documentOutput(context, 'A JSON Schema')
  const [outputs, { schemaDocument }] = await Promise.all([printsOf(context.root), import('../cli/schema.ts')])
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
    `'${asked}' has no documented output.`,
    near === undefined ? toRun(['schema'], 'List them') : `Did you mean ${near}?`,
  )
}
