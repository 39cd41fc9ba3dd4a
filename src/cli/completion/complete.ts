import type { Argument, Command, Option } from 'commander'
import { readSettings } from '../../config/settings.ts'
import type { Environment, Io } from '../../run/invocation.ts'
import { flush, write } from '../../run/sink.ts'
import type { CommandRecord, Context, ValueKind } from '../command.ts'
import { globalOptions, readFlag, renamed, takesValue } from '../global_options.ts'
import { pathOf } from '../program.ts'
import { kindOf } from '../register.ts'
import { RunContext } from '../run_context.ts'
import { aliasSettings, builtInForms, expanded } from '../short_forms.ts'
import { answer, type Candidate, type Candidates, candidateOf } from './candidate.ts'
import { type Cursor, follow } from './cursor.ts'
import { valuesOf } from './values.ts'

/** Time limit of one completion, in milliseconds. */
const answerTimeoutMs = 900

interface CompletionRequest {
  /** Form of the typed text (`words`, `line` or `base64`), and the text. */
  readonly argv: readonly string[]
  readonly root: CommandRecord
  readonly env: Environment
  readonly io: Io
  readonly signal: AbortSignal
}

/**
 * Prints the words for the cursor, one per line. Prints no errors: they would appear in the line that the user types.
 */
export async function complete({ argv, root, env, io, signal }: CompletionRequest): Promise<void> {
  const [, ...words] = typedWords(argv)
  const typed = words.pop() ?? ''
  const late = AbortSignal.timeout(answerTimeoutMs)
  const context = new RunContext({
    root,
    env: { ...env, PAYCTL_OUTPUT: undefined },
    io,
    signal: AbortSignal.any([signal, late]),
  })
  let candidates: Candidates = []
  try {
    candidates = await Promise.race([find(words, typed, context), expiry(late)])
  } catch {
  } finally {
    await context.close()
  }
  await write(io.stdout, answer(candidates, typed))
  await flush(io.stdout)
}

function typedWords([form, ...rest]: readonly string[]): readonly string[] {
  if (form === 'words') return ['payctl', ...rest]
  const [line = ''] = rest
  return wordsOf(form === 'base64' ? Buffer.from(line, 'base64').toString() : line)
}

/**
 * Splits a command line up to the cursor into words, as a shell would. The last word, which may be empty, is still
 * being typed. Removes quotes and backslashes; expands nothing.
 */
function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  let word = ''
  let quote = ''
  let begun = false
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at)
    if (quote !== '') {
      if (character === quote) quote = ''
      else word += character === '\\' && quote === '"' ? line.charAt(++at) : character
    } else if (/\s/.test(character)) {
      if (begun) words.push(word)
      word = ''
      begun = false
      continue
    } else if (character === '"' || character === "'") quote = character
    else word += character === '\\' ? line.charAt(++at) : character
    begun = true
  }
  return [...words, word]
}

async function find(words: readonly string[], typed: string, context: RunContext): Promise<Candidates> {
  const cursor = await follow(expanded(renamed(words), context), context)
  // These options are left out, because candidates do not depend on the output format.
  const { output: _, json: __, excel: ___, jq: ____, ...globals } = cursor.globals
  const named = globals.profile ?? globals.baseUrl ?? context.env.PAYCTL_BASE_URL
  // If no service is named, the commands of `payctl emulator` use the running emulator even without --emulator.
  const emulator = globals.emulator ?? (named === undefined && pathOf(cursor.command)[0] === 'emulator')
  await context.begin({ ...globals, emulator, quiet: true, verbose: false, mayAsk: false }, [])
  return candidatesAt(cursor, typed, context)
}

const expiry = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

/** Words for the cursor; `typed` is the part of the word before the cursor. */
async function candidatesAt(cursor: Cursor, typed: string, context: Context): Promise<Candidates> {
  const { command, option, closed } = cursor
  if (option) return ofValue(option, { command }, context)
  if (closed || !typed.startsWith('-')) return ofOperand(cursor, context)
  const { option: attached, value } = readFlag(command.options, typed)
  if (!attached || !takesValue(attached) || value === undefined) return flags(cursor)
  const found = await ofValue(attached, { command }, context)
  const flag = typed.slice(0, typed.length - value.length)
  return typeof found === 'string' || 'orFile' in found
    ? found
    : found.map((candidate) => ({ ...candidate, value: flag + candidate.value }))
}

async function ofOperand({ command, operands, closed }: Cursor, context: Context): Promise<Candidates> {
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined)
  const verbs = operands.length === 0 && !closed ? command.commands.map(candidateOf) : []
  const values = argument ? await ofValue(argument, { command, operands }, context) : []
  const own = command.parent || verbs.length === 0 ? [] : shortForms(context)
  return typeof values === 'string' || 'orFile' in values ? values : [...verbs, ...own, ...values]
}

/** Aliases and payctl's own short forms, with their full commands. */
const shortForms = ({ configDir }: Context): readonly Candidate[] =>
  Object.entries({ ...readSettings(aliasSettings, configDir).aliases, ...builtInForms }).map(([value, words]) => ({
    value,
    about: words.join(' '),
  }))

async function ofValue(
  of: Option | Argument,
  { command, operands = [] }: { readonly command: Command; readonly operands?: readonly string[] },
  context: Context,
): Promise<Candidates> {
  if (of.argChoices) return of.argChoices.map((value) => ({ value }))
  const kind = kindOf(of) ?? ('long' in of ? globalKinds[of.long ?? ''] : undefined)
  return valuesOf({ kind, path: pathOf(command), operands }, context)
}

/** Kinds of things that the values of global flags name. */
const globalKinds: Readonly<Record<string, ValueKind>> = { '--profile': 'profile', '--emulator': 'running emulator' }

/** Lists the command's own flags first. Lists a flag that is already in the line only if the flag may be repeated. */
function flags({ command, given }: Cursor): readonly Candidate[] {
  const help: Candidate = { value: '--help', about: 'show this help' }
  const shown = command.options.filter((option) => !option.hidden && (option.variadic || !given.has(option)))
  const isGlobal = (option: Option) => globalOptions.includes(option)
  const own = shown.filter((option) => !isGlobal(option))
  return [...own.map(flag), help, ...shown.filter(isGlobal).map(flag)]
}

const flag = ({ long, short, description }: Option): Candidate => ({
  value: long ?? short ?? '',
  about: description.split('\n', 1)[0] ?? '',
})
