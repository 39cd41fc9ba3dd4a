import { PassThrough } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { styleText } from 'node:util'
import { CliError, UsageError } from '../errors/cli_error.ts'
import type { LogIn } from '../errors/next_step.ts'
import { nextTurn, pause } from '../real_time.ts'
import { wordsWrapped } from '../run/cell_lines.ts'
import { printable } from '../run/sanitise.ts'
import { type Said, say, Text } from '../words/text.ts'
import type { Context } from './command.ts'

/** Streams for an inquirer prompt, which asks on stderr because stdout is for data. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly signal: AbortSignal
}

interface QuestionOptions {
  /** Ignores keys typed before the question, because nobody can agree to a question that is not yet on the screen. */
  readonly dropsTypedAhead?: boolean
  /** Saves input after the line that answers the question, such as further lines of a pasted list. */
  readonly typedAhead?: { text: string }
}

/**
 * Asks one question. Ctrl-C interrupts the run; the end of the input (Ctrl-D, a closed terminal) throws `unanswered`.
 */
export async function question<Answer>(
  ask: (terminal: Terminal) => Promise<Answer>,
  { io, signal }: Context,
  unanswered: () => CliError,
  { dropsTypedAhead = false, typedAhead }: QuestionOptions = {},
): Promise<Answer> {
  const { input, ended, dropTypedAhead, pipe, release } = inputOfQuestion(io.stdin, typedAhead)
  try {
    if (dropsTypedAhead) await dropTypedAhead()
    pipe()
    return await ask({ input, output: io.stderr, signal: AbortSignal.any([signal, ended]) })
  } catch (error) {
    throw ended.aborted ? unanswered() : error
  } finally {
    release()
  }
}

/** The question, wrapped to the width of the terminal. The prompt itself would break a line inside an amount. */
function linesOfQuestion(message: Said, { io: { stderr }, translate }: Context): string {
  const text = printable(translate(message))
  // Leaves room for the prompt's `? ` and for `(y/N)`.
  return wordsWrapped(text, (stderr.columns || 80) - '? '.length - ' (y/N) '.length).join('\n  ')
}

interface Key {
  readonly ctrl: boolean
  readonly name?: string
}

/**
 * The terminal as the input of one question. `ended` aborts when the terminal ends or fails: inquirer would wait for
 * ever after Ctrl-D or without the terminal. The input is a separate stream: readline emits the errors of its input a
 * second time, where nothing handles them, so closing the terminal would end the process in the middle of a request.
 */
function inputOfQuestion(stdin: Context['io']['stdin'], typedAhead: QuestionOptions['typedAhead']) {
  const controller = new AbortController()
  const end = () => controller.abort()
  const setRawMode = (isRaw: boolean) => {
    // The mode of a closed terminal can't be set.
    if (!controller.signal.aborted) (stdin as { setRawMode?(isRaw: boolean): void }).setRawMode?.(isRaw)
    return input
  }
  const input = Object.assign(new PassThrough(), { isTTY: stdin.isTTY, setRawMode })
  input.on('keypress', (_: unknown, key: Key | undefined) => {
    if (key?.ctrl && key.name === 'd') end()
  })
  // This listener is never removed: an error of the terminal must not end the process while a request is under way.
  stdin.on('error', end)
  stdin.once('end', end)
  const dropTypedAhead = async () => {
    // Only a terminal in raw mode delivers keys before Enter is pressed.
    setRawMode(true)
    const drop = (chunk: Buffer | string) => void input.write(String(chunk).replace(notControl, ''))
    stdin.on('data', drop)
    await pause(typedAheadPause)
    stdin.removeListener('data', drop).pause()
  }
  const lines = typedAhead && new LineInput(input, typedAhead)
  const pipe = () => {
    if (!lines) stdin.pipe(input)
    else void lines.readFrom(stdin)
  }
  const release = () => {
    stdin.removeListener('end', end).unpipe(input)
    lines?.release(stdin)
    stdin.pause()
  }
  return { input, ended: controller.signal, dropTypedAhead, pipe, release }
}

/** Passes keys on up to the first Enter, and saves later keys for the next question. */
class LineInput {
  readonly #input: PassThrough
  readonly #typedAhead: { text: string }
  readonly #decoder = new StringDecoder('utf8')
  #isOver = false

  constructor(input: PassThrough, typedAhead: { text: string }) {
    this.#input = input
    this.#typedAhead = typedAhead
  }

  /** inquirer drops keys that arrive before the second turn of the event loop. */
  async readFrom(stdin: Context['io']['stdin']): Promise<void> {
    await nextTurn()
    await nextTurn()
    if (this.#isOver) return
    stdin.on('data', this.#add).resume()
    this.#add('')
  }

  release(stdin: Context['io']['stdin']): void {
    this.#isOver = true
    stdin.removeListener('data', this.#add)
  }

  readonly #add = (chunk: Buffer | string): void => {
    this.#typedAhead.text += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    if (this.#isOver) return
    const [line = ''] = /^[^\r\n]*(\r\n|[\r\n])?/.exec(this.#typedAhead.text) ?? []
    this.#typedAhead.text = this.#typedAhead.text.slice(line.length)
    this.#isOver = /[\r\n]$/.test(line)
    if (line !== '') this.#input.write(line)
  }
}

/**
 * Time allowed for a terminal to deliver keys typed ahead, in milliseconds. On Windows a separate thread reads the
 * keys, so they arrive with a delay.
 */
const typedAheadPause = 100

/** All characters except Ctrl-C and Ctrl-D, which end the run whenever they are typed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends
const notControl = /[^\x03\x04]/g

/** Throws for any answer but yes. `nothing`: clause that says what did not happen. */
export async function requireYes(message: Said, context: Context, nothing = 'nothing was sent'): Promise<void> {
  const notConfirmed = () =>
    new CliError('usage', say`Not confirmed: ${new Text(nothing)}.`, 'Run the command again to be asked again')
  if (!(await agreed(message, false, context, notConfirmed))) throw notConfirmed()
}

/**
 * Asks for yes or no. `byEnter`: the answer that Enter alone gives, perhaps without the user having read the question.
 */
async function agreed(message: Said, byEnter: boolean, context: Context, unanswered: () => CliError): Promise<boolean> {
  const { confirm, input } = await import('@inquirer/prompts')
  const text = linesOfQuestion(message, context)
  const ask = (terminal: Terminal) => {
    const choices = context.translate(byEnter ? 'Y/n' : 'y/N')
    if (choices === 'Y/n' || choices === 'y/N') return confirm({ message: text, default: byEnter }, terminal)
    // With `sí` as its word for yes, inquirer's confirm would refuse `si`. The words below mean yes in both languages.
    const isYes = (answer: string) => (answer === '' ? byEnter : /^(s|s[ií]|y|yes)$/i.test(answer))
    return input({ message: `${text} (${choices})` }, terminal).then((answer) => isYes(answer.trim()))
  }
  return question(ask, context, unanswered, { dropsTypedAhead: true })
}

/** Asks a question that Enter answers with yes. Not for questions about money. */
export const askYes = (message: Said, context: Context): Promise<boolean> => agreed(message, true, context, unanswered)

/**
 * Throws UsageError unless a user at a terminal can be asked before something (`the payee ana`) is removed.
 * `otherwise`: advice for a run without a terminal.
 */
export function requireAskable(
  verb: 'remove' | 'delete',
  what: Said,
  { interactive, otherwise }: { readonly interactive: boolean; readonly otherwise?: Said },
): void {
  if (interactive) return
  throw verb === 'remove'
    ? new UsageError(
        say`This would remove ${what}, and payctl can't ask without a terminal. Nothing was removed.`,
        otherwise ?? 'Add --yes to remove it without being asked',
      )
    : new UsageError(
        say`This would delete ${what}, and payctl can't ask without a terminal. Nothing was deleted.`,
        otherwise ?? 'Add --yes to delete it without being asked',
      )
}

interface TypedConfirmation {
  readonly message: Said
  readonly isRight: (answer: string) => boolean
  /** Clause that says what did not happen. */
  readonly nothing?: string
}

/** Throws unless the user types the right answer. */
export async function requireTyped(
  { message, isRight, nothing = 'nothing was sent' }: TypedConfirmation,
  context: Context,
): Promise<void> {
  const notConfirmed = () =>
    new CliError('usage', say`Not confirmed: ${new Text(nothing)}.`, 'Run the command again to be asked again')
  const { input } = await import('@inquirer/prompts')
  const answer = await question(
    (terminal) => input({ message: linesOfQuestion(message, context) }, terminal),
    context,
    notConfirmed,
    {
      dropsTypedAhead: true,
    },
  )
  if (!isRight(answer.trim())) throw notConfirmed()
}

const unanswered = (): CliError =>
  new CliError(
    'usage',
    'No answer: nothing was done.',
    'Run the command again to be asked again, or give the values as flags',
  )

interface TextQuestion {
  readonly message: Said
  readonly check: (answer: string) => unknown
  /** Initial text of the answer, which the user can edit. */
  readonly filled?: string | undefined
}

/** Asks for a line of text until `check` throws no UsageError. */
export async function askText({ message, check, filled }: TextQuestion, context: Context): Promise<string> {
  const { input } = await import('@inquirer/prompts')
  const validate = (answer: string): true | string => complaintOf(() => check(answer), context) ?? true
  const edited = filled === undefined ? {} : ({ default: printable(filled), prefill: 'editable' } as const)
  const answer = await question(
    (terminal) => input({ message: linesOfQuestion(message, context), validate, ...edited }, terminal),
    context,
    unanswered,
  )
  return answer.trim()
}

/** The message of a failed check, without the names of flags; undefined if the check succeeds. */
function complaintOf(check: () => unknown, { translate }: Context): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return printable(
      [error.said, error.saidHint]
        .flatMap((part) => (part ? [translate(part)] : []))
        .join(' ')
        .replace(/--[\w-]+ /g, ''),
    )
  }
}

/**
 * Asks for lines until an empty line or the end of the input (Ctrl-D). Each non-empty line of a pasted list is an
 * answer.
 */
export async function* askLines(message: Said, context: Context): AsyncGenerator<string, void, undefined> {
  const { input } = await import('@inquirer/prompts')
  const typedAhead = { text: '' }
  const ended = new CliError('usage', 'The input has ended.')
  for (;;) {
    const asked = question(
      (terminal) => input({ message: linesOfQuestion(message, context) }, terminal),
      context,
      () => ended,
      {
        typedAhead,
      },
    )
    const line = await asked.catch((error: unknown) => {
      if (error === ended) return ''
      throw error
    })
    if (line.trim() !== '') yield line.trim()
    else if (typedAhead.text.trim() === '') return
  }
}

export interface Choice<Value> {
  readonly value: Value
  /** A string, such as an account, is never translated. */
  readonly name: Said
  /** Text shown below the list while the choice is highlighted. */
  readonly description?: string
}

const nameOf = ({ name }: Choice<unknown>, { translate }: Context): string =>
  printable(name instanceof Text ? translate(name) : name)

/** Line that is shown below a list of choices and names the keys: `↑↓ navigate • ⏎ select`. */
const themeOf = ({ translate }: Context) => ({
  style: {
    keysHelpTip: (keys: readonly (readonly [key: string, action: string])[]) =>
      keys
        .map(([key, action]) => `${styleText('bold', key)} ${styleText('dim', translate(action))}`)
        .join(styleText('dim', ' • ')),
  },
})

/** Asks for one of several choices. */
export async function askChoice<Value>(
  { message, choices }: { readonly message: Said; readonly choices: readonly Choice<Value>[] },
  context: Context,
): Promise<Value> {
  const { select } = await import('@inquirer/prompts')
  const shown = choices.map((choice) => ({
    value: choice.value,
    name: nameOf(choice, context),
    ...(choice.description !== undefined && { description: printable(choice.description) }),
  }))
  return question(
    (terminal) =>
      select(
        {
          message: linesOfQuestion(message, context),
          choices: shown,
          pageSize: 10,
          loop: false,
          theme: themeOf(context),
        },
        terminal,
      ),
    context,
    unanswered,
  )
}

/**
 * Asks for one of many choices. `find` returns the choices that match the typed text, or a text that says why there are
 * none.
 */
export async function askSearch<Value>(
  { message, find }: { readonly message: Said; readonly find: (term: string) => readonly Choice<Value>[] | Said },
  context: Context,
): Promise<Value> {
  const { search, Separator } = await import('@inquirer/prompts')
  const source = (term: string | undefined) => {
    const found = find(term ?? '')
    if (typeof found === 'string' || found instanceof Text) return [new Separator(printable(context.translate(found)))]
    return found.map((choice) => ({ value: choice.value, name: nameOf(choice, context) }))
  }
  return question(
    (terminal) =>
      search({ message: linesOfQuestion(message, context), source, pageSize: 10, theme: themeOf(context) }, terminal),
    context,
    unanswered,
  )
}

interface LoginQuestion {
  readonly message: Said
  /** True: the typed text is not shown. */
  readonly hidden?: boolean
  /** Advice if nobody answers the question. */
  readonly again: LogIn
  /** Signal that withdraws the question. */
  readonly signal?: AbortSignal
}

/** Asks for part of a login until the answer is not empty. Trims the answer. */
export async function askForLogin(
  context: Context,
  { message, hidden, again, signal: withdrawn }: LoginQuestion,
): Promise<string> {
  const { input, password } = await import('@inquirer/prompts')
  const validate = (text: string): boolean | string =>
    text.trim() !== '' || context.translate('Type something, or Ctrl-C to stop.')
  const asked = { message: printable(context.translate(message)), validate }
  const theme = { style: { maskedText: context.translate('[input is masked]') } }
  const answer = await question(
    (terminal) => {
      const signal = withdrawn ? AbortSignal.any([terminal.signal, withdrawn]) : terminal.signal
      return hidden
        ? password({ ...asked, toggleMask: false, theme }, { ...terminal, signal })
        : input(asked, { ...terminal, signal })
    },
    context,
    () => new CliError('unauthenticated', 'No answer came: not logged in.', again),
  )
  return answer.trim()
}
