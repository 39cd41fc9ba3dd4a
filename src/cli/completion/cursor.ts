import type { Command, Option } from 'commander'
import type { Globals } from '../../run/invocation.ts'
import type { Context } from '../command.ts'
import { globalOptions, readFlag } from '../global_options.ts'
import { createProgram, loadCommand } from '../program.ts'
import { passesThrough } from '../register.ts'

/** Meaning of the words before the cursor. */
export interface Cursor {
  /** The innermost command that the words name. */
  readonly command: Command
  /** Arguments of the command so far. */
  readonly operands: readonly string[]
  /** The flag whose value comes next. */
  readonly option: Option | undefined
  /** Flags before the cursor. */
  readonly given: ReadonlySet<Option>
  /** Values of the global flags before the cursor, if they are valid. */
  readonly globals: Globals
  /** True if no flag can follow: after `--`, or because the arguments belong to another program. */
  readonly closed: boolean
}

interface Progress extends Omit<Cursor, 'given' | 'globals'> {
  readonly given: Set<Option>
  readonly globals: Record<string, unknown>
}

/** Reads complete words, starting at the root command. Loads only the commands that the words name. */
export async function follow(words: readonly string[], context: Context): Promise<Cursor> {
  const command = await createProgram(context)
  let progress: Progress = { command, operands: [], option: undefined, closed: false, given: new Set(), globals: {} }
  for (const word of words) progress = await step(progress, word, context)
  return progress
}

async function step(progress: Progress, word: string, context: Context): Promise<Progress> {
  const { command, option, closed, operands } = progress
  if (option) return { ...progress, ...take(progress, option, word) }
  if (closed) return { ...progress, operands: [...operands, word] }
  if (word === '--') return { ...progress, closed: true }
  if (word.startsWith('-') && word !== '-') return { ...progress, ...flag(progress, word) }
  const next = operands.length === 0 && command.commands.find((candidate) => candidate.name() === word)
  if (next) {
    await loadCommand(next, context)
    return { ...progress, command: next }
  }
  return { ...progress, operands: [...operands, word], closed: passesThrough(command) }
}

/** Ignores a value that can't be read: the command will report the value. */
function take(progress: Progress, option: Option, value: string | boolean): Pick<Progress, 'option'> {
  progress.given.add(option)
  if (!globalOptions.includes(option)) return { option: undefined }
  try {
    progress.globals[option.attributeName()] =
      typeof value === 'string' && option.parseArg ? option.parseArg(value, undefined) : value
  } catch {}
  return { option: undefined }
}

function flag(progress: Progress, word: string): Pick<Progress, 'option'> {
  const { option, value } = readFlag(progress.command.options, word)
  if (!option) return { option: undefined }
  if (value !== undefined) return take(progress, option, value)
  if (option.required) return { option }
  return take(progress, option, !option.negate)
}
