import { createOutput } from '../output/create_output.ts'
import type { Output } from '../output/output.ts'
import type { Format } from '../run/invocation.ts'
import type { Context } from './command.ts'

/**
 * Output of an endless list. For an endless list, `json` means one document per line. This format is also the default
 * if stdout is not a terminal.
 */
export function endlessOutput(context: Context): Output {
  const { io, env, globals, signal } = context
  return createOutput({ io, env, signal, globals: { ...globals, json: false, output: formatFor(context) } })
}

function formatFor({ output: { format }, globals, env }: Context): Format {
  if (format === 'json') return 'ndjson'
  const isChosen =
    globals.json || [globals.output, globals.columns, env.PAYCTL_OUTPUT].some((given) => given !== undefined)
  return format === 'tsv' && !isChosen ? 'ndjson' : format
}
