import type { Command, Option } from 'commander'
import type { Globals } from '../../run/invocation.ts'
import type { Context } from '../context.ts'
import { globalOptions, readFlag } from '../global_options.ts'
import { createProgram, loadCommand } from '../program.ts'

/** Where the words before the cursor lead to. */
export interface Cursor {
  /** The innermost command named. */
  readonly command: Command
  /** Its arguments so far. */
  readonly operands: readonly string[]
  /** The flag whose value comes next. */
  readonly option: Option | undefined
  /** Flags that were given. */
  readonly given: ReadonlySet<Option>
  /** Those of them that every command takes, as far as they could be read. */
  readonly globals: Globals
  /** No flag can follow: `--`, or the arguments belong to another program. */
  readonly closed: boolean
}

interface Walk extends Omit<Cursor, 'given' | 'globals'> {
  readonly given: Set<Option>
  readonly globals: Record<string, unknown>
}

/** Follows complete words from the program down. Of the commands only those on the way are loaded. */
export async function follow(words: readonly string[], context: Context): Promise<Cursor> {
  const command = createProgram(context)
  let walk: Walk = { command, operands: [], option: undefined, closed: false, given: new Set(), globals: {} }
  for (const word of words) walk = await step(walk, word, context)
  return walk
}

async function step(walk: Walk, word: string, context: Context): Promise<Walk> {
  const { command, option, closed, operands } = walk
  if (option) return { ...walk, ...take(walk, option, word) }
  if (closed) return { ...walk, operands: [...operands, word] }
  if (word === '--') return { ...walk, closed: true }
  if (word.startsWith('-') && word !== '-') return { ...walk, ...flag(walk, word) }
  const next = operands.length === 0 && command.commands.find((candidate) => candidate.name() === word)
  if (next) {
    await loadCommand(next, context)
    return { ...walk, command: next }
  }
  return { ...walk, operands: [...operands, word], closed: passesThrough(command) }
}

/** Whether the arguments are another program's, flags included: `payctl emulate npm test --watch`. */
const passesThrough = (command: Command): boolean => command.registeredArguments[0]?.name() === 'command'

/** A value that can't be read says nothing: the command itself will complain. */
function take(walk: Walk, option: Option, value: string | boolean): Pick<Walk, 'option'> {
  walk.given.add(option)
  if (!globalOptions.includes(option)) return { option: undefined }
  try {
    walk.globals[option.attributeName()] =
      typeof value === 'string' && option.parseArg ? option.parseArg(value, undefined) : value
  } catch {}
  return { option: undefined }
}

function flag(walk: Walk, word: string): Pick<Walk, 'option'> {
  const { option, value } = readFlag(walk.command.options, word)
  if (!option) return { option: undefined }
  if (value !== undefined) return take(walk, option, value)
  if (option.required) return { option }
  return take(walk, option, !option.negate)
}
