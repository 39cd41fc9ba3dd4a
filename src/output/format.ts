import { UsageError } from '../errors/cli_error.ts'
import { type Environment, type Format, formats, type Globals } from '../run/invocation.ts'

const isFormat = (text: string): text is Format => (formats as readonly string[]).includes(text)

interface FormatSources {
  readonly globals: Globals
  readonly env: Environment
  /** The profile's format. Called only if it decides. */
  readonly profileFormat?: () => string | undefined
}

/** Takes the format from flag, environment or profile; default: a table for a terminal and tsv for a pipe. */
export function chooseFormat({ globals, env, profileFormat }: FormatSources, isTerminal: boolean): Format {
  if (globals.json && globals.output && globals.output !== 'json') {
    throw new UsageError(
      `--json and --output ${globals.output} ask for two formats.`,
      'Give one of them: --json is short for --output json.',
    )
  }
  if (globals.excel !== undefined) return excelFormat(globals)
  if (globals.jq !== undefined) return jqFormat(globals, () => env.PAYCTL_OUTPUT ?? profileFormat?.())
  const given = globals.json ? 'json' : (globals.output ?? env.PAYCTL_OUTPUT)
  const asked = given ?? profileFormat?.()
  if (asked === undefined) return isTerminal ? 'table' : 'tsv'
  if (isFormat(asked)) return asked
  const place = given === undefined ? "The profile's output" : 'PAYCTL_OUTPUT'
  throw new UsageError(`${place} is '${asked}', which is no output format.`, `Set it to one of: ${formats.join(', ')}`)
}

function excelFormat({ json, output, jq }: Globals): Format {
  const asked = jq === undefined ? (json ? 'json' : output) : 'json'
  if (asked === undefined || asked === 'csv') return 'csv'
  throw new UsageError(
    `--excel is a form of CSV, but ${asked} is asked for too.`,
    'Leave the other out; a workbook is --output xlsx',
  )
}

/** Format for jq, which reads JSON: a whole document, or a row at a time. */
function jqFormat({ json, output }: Globals, set: () => string | undefined): Format {
  const asked = json ? 'json' : output
  if (asked !== undefined && asked !== 'json' && asked !== 'ndjson') {
    throw new UsageError(
      `--jq filters JSON, but --output ${asked} asks for something else.`,
      'Leave --output out, or give --output ndjson to filter row by row.',
    )
  }
  return asked ?? (set() === 'ndjson' ? 'ndjson' : 'json')
}
