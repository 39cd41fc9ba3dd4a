import type { Environment, Globals } from '../commands/context.ts'
import { UsageError } from './cli_error.ts'
import { type Format, formats } from './output.ts'

export const isFormat = (text: string): text is Format => (formats as readonly string[]).includes(text)

/** Flag, then environment, then what suits the reader: a table for people, tsv for a pipe. */
export function chooseFormat(globals: Globals, env: Environment, isTerminal: boolean): Format {
  if (globals.json && globals.output && globals.output !== 'json') {
    throw new UsageError(
      `--json and --output ${globals.output} ask for two formats.`,
      'Give one of them: --json is short for --output json.',
    )
  }
  const asked = globals.json ? 'json' : (globals.output ?? env.PAYCTL_OUTPUT)
  if (asked === undefined) return isTerminal ? 'table' : 'tsv'
  if (isFormat(asked)) return asked
  throw new UsageError(
    `PAYCTL_OUTPUT is '${asked}', which is no output format.`,
    `Set it to one of: ${formats.join(', ')}`,
  )
}
