import { type Advice, above, inOneLine, isWhole, shellWords } from '../errors/advice.ts'
import { CliError, IntentError, UsageError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { type Failure, failureOf } from '../errors/failure.ts'
import type { NextStep } from '../errors/next_step.ts'
import { foreign, inEnglish, type Said, say, Text, type Translate } from '../words/text.ts'
import { linesSaid } from './counts.ts'
import type { Io } from './invocation.ts'
import { escapeHidden, printable } from './sanitise.ts'
import { isBrokenPipe } from './sink.ts'
import { loadPaint } from './style.ts'

export interface ReportOptions {
  readonly stderr: Io['stderr']
  readonly json: boolean
  readonly colour: boolean
  /** True: prints the stack as well. */
  readonly debug: boolean
  /** True if the run was asked to stop. */
  readonly interrupted: boolean
  /** Puts a next step into the words of the command line. */
  readonly adviceOf: (step: NextStep) => Promise<Advice>
  /** Loads the translation into the language of the run; default: English. */
  readonly translator?: () => Promise<Translate>
}

/** Prints the error on stderr and returns the exit code. A reader that closes the pipe is not a failure. */
export async function report(error: unknown, options: ReportOptions): Promise<number> {
  const { stderr, json, colour, debug, interrupted, adviceOf, translator = async () => inEnglish } = options
  const cause = error instanceof IntentError ? error.cause : error
  if (isBrokenPipe(cause)) return exits.done.code
  const failure = failureOf(error, interrupted)
  const advice: Advice = failure.next ? await adviceOf(failure.next) : { words: failure.hint }
  const { code } = exits[failure.exit]
  if (json) {
    stderr.write(`${escapeHidden(JSON.stringify(asJson(failure, advice)))}\n`)
    return code
  }
  const paint = await loadPaint(colour)
  const { words, command } = advice
  const translate = whollyIn(await translator(), [failure.message, ...(words ? [words] : [])])
  const lead = words && printable(command ? above(translate(words)) : translate(words))
  const message = printable(translate(failure.message))
  const indented = [message, ...details(failure, stderr.isTTY === true, translate), ...(lead ? [lead] : [])]
  const wrap = await wrapping(stderr)
  const [what = '', ...more] = indented.flatMap((text, index) => wrap(index === 0 ? `error: ${text}` : text))
  const lines = [what.replace(/^error:/, paint.error('error:')), ...more.map((line) => `  ${line}`)]
  if (command) lines.push(`${paint.heading('next:')}  ${printable(shellWords(command))}`)
  if (debug && cause instanceof Error && cause.stack) lines.push(...cause.stack.split('\n').map(printable))
  stderr.write(`${lines.join('\n')}\n`)
  return code
}

/** Returns `translate` if it translates all parts, otherwise English: an error is never in two languages. */
const whollyIn = (translate: Translate, parts: readonly Said[]): Translate =>
  parts.every((part) => translate(part) !== String(part) || hasNoWords(part)) ? translate : inEnglish

/** True for values alone, such as a command: they are the same in every language. */
const hasNoWords = (said: Said): boolean => said instanceof Text && !/\p{L}/u.test(said.template)

/** Breaks prose at words on a terminal. */
async function wrapping({ isTTY, columns }: Io['stderr']): Promise<(text: string) => readonly string[]> {
  if (isTTY !== true) return (text) => [text]
  const { wordsWrapped } = await import('./cell_lines.ts')
  return (text) => wordsWrapped(text, (columns || 80) - 2)
}

/** The document that --json prints on stderr. */
export type ErrorDocument = ReturnType<typeof asJson>

function asJson(failure: Failure, advice: Advice) {
  const { code, message, status, errors, requestId, retryable, intentId, paymentId } = failure
  const { command } = advice
  return {
    error: {
      code,
      message: String(message),
      status: status ?? null,
      errors: errors ?? null,
      hint: inOneLine(advice)?.toString() ?? null,
      next_command: command && isWhole(command) ? command : null,
      request_id: requestId ?? null,
      retryable: retryable ?? false,
      intent_id: intentId ?? null,
      payment_id: paymentId ?? null,
    },
  }
}

/**
 * The service's details, one line per message, if they say more than the message. At a terminal each reason appears
 * once.
 */
function details({ message: said, errors }: Failure, isTerminal: boolean, translate: Translate): string[] {
  const message = String(said)
  if (typeof errors === 'string') return errors === message ? [] : [printable(translate(foreign(errors)))]
  const texts = Object.values(errors ?? {}).flat()
  const [only] = texts
  if (texts.length === 1 && typeof only === 'string' && message.includes(only.replace(/\.$/, ''))) return []
  const all = Object.entries(errors ?? {}).flatMap(([field, messages]) =>
    [messages].flat().map((text) => ({ field: fieldName(field), text: detailOf(text) })),
  )
  const lines = (isTerminal ? withoutRepetitions(all) : all).map(
    ({ field, text }) =>
      `${printable(field instanceof Text ? translate(field) : field)}: ${printable(translate(text))}`,
  )
  const more = lines.length - mostDetails
  return more > 0 ? [...lines.slice(0, mostDetails), translate(say`and ${more} more; --json names them all`)] : lines
}

/** The place of a fault: a line of a file, or a field of the request, which is never translated. */
function fieldName(field: string): Said {
  const [, line] = /^line (\d+)$/.exec(field) ?? []
  return line === undefined ? field : say`line ${line}`
}

const detailOf = (text: unknown): Text =>
  text instanceof Text ? text : foreign(typeof text === 'string' ? text : JSON.stringify(text))

interface Detail {
  readonly field: Said
  readonly text: Text
}

/** Joins the rows of a file that have the same reason. */
function withoutRepetitions(all: readonly Detail[]): readonly Detail[] {
  const lineOf = ({ field }: Detail) => Number(/^line (\d+)$/.exec(String(field))?.[1])
  if (!all.every((detail) => lineOf(detail) > 0)) return all
  return [...Map.groupBy(all, ({ text }) => String(text)).values()].map((same) => ({
    field: linesSaid(same.map(lineOf)),
    text: same[0]?.text ?? foreign(''),
  }))
}

/** Maximum number of detail lines for a person. */
const mostDetails = 50

/**
 * Error for a run whose stdout fails, for example on a full disk. If the service has carried out a change, or may have
 * done so, the exit code must not say that nothing happened.
 */
export function lostOutput({ message }: Error, hasChanged: boolean): CliError {
  const what = say`The output can't be written: ${foreign(message)}.`
  if (!hasChanged) return new UsageError(what, 'Make room where the output goes, and run the command again.')
  return new CliError('outcome_unknown', say`${what} The command may have changed something at the service.`, {
    kind: 'list_intents_before_repeating',
  })
}
