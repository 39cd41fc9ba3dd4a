import type { Environment, Io } from '../../run/invocation.ts'
import { flush, write } from '../../run/sink.ts'
import type { CommandRecord } from '../command.ts'
import { pathOf } from '../parser_mistake.ts'
import { RunContext } from '../run_context.ts'
import { expanded } from '../short_forms.ts'
import { answer, type Candidates } from './candidate.ts'
import { candidatesAt } from './candidates.ts'
import { follow } from './cursor.ts'

/** Milliseconds for one Tab. */
const answerTimeoutMs = 900

interface Request {
  /** After the command's name: `words`, `line` or `base64`, and what was typed so far, in that form. */
  readonly argv: readonly string[]
  readonly root: CommandRecord
  readonly env: Environment
  readonly io: Io
  readonly signal: AbortSignal
}

/**
 * Prints the words for the cursor, one a line. Prints no errors, which would appear in the line that the user types.
 */
export async function complete({ argv, root, env, io, signal }: Request): Promise<void> {
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

async function find(words: readonly string[], typed: string, context: RunContext): Promise<Candidates> {
  const cursor = await follow(expanded(words, context), context)
  // The output format does not matter here.
  const { output: _, json: __, excel: ___, jq: ____, ...globals } = cursor.globals
  const named = globals.profile ?? globals.baseUrl ?? context.env.PAYCTL_BASE_URL
  // `payctl emulator` goes to the running one, without a flag.
  const emulator = globals.emulator ?? (named === undefined && pathOf(cursor.command)[0] === 'emulator')
  await context.begin({ ...globals, emulator, quiet: true, verbose: false, mayAsk: false }, [])
  return candidatesAt(cursor, typed, context)
}

const expiry = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

/**
 * The words of a command line up to the cursor, as a shell would pass them on; the last one, perhaps empty, is being
 * typed. Removes quotes and backslashes; expands nothing.
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
