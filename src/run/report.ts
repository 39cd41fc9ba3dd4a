import { CliError, IntentError, UsageError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { type Failure, failureOf, type Wording } from '../errors/failure.ts'
import { loadPaint } from './colour.ts'
import type { Io } from './invocation.ts'
import { escapeHidden, printable } from './sanitise.ts'
import { isBrokenPipe } from './sink.ts'

export interface ReportOptions {
  readonly stderr: Io['stderr']
  readonly json: boolean
  readonly colour: boolean
  /** Whether to print the stack as well. */
  readonly debug: boolean
  /** Whether the run was asked to stop. */
  readonly interrupted: boolean
  readonly wording: Wording
}

/** Tells what went wrong on stderr and returns the exit code. A reader that had enough is no failure. */
export async function report(error: unknown, options: ReportOptions): Promise<number> {
  const { stderr, json, colour, debug, interrupted, wording } = options
  const cause = error instanceof IntentError ? error.cause : error
  if (isBrokenPipe(cause)) return exits.done.code
  const failure = failureOf(error, interrupted, wording)
  const { code } = exits[failure.exit]
  if (json) {
    stderr.write(`${escapeHidden(JSON.stringify(asJson(failure)))}\n`)
    return code
  }
  const paint = await loadPaint(colour)
  const lines = [`${paint.error('error:')} ${printable(failure.message)}`, ...details(failure)]
  if (failure.hint) lines.push(`hint: ${printable(failure.hint)}`)
  if (debug && cause instanceof Error && cause.stack) lines.push(...cause.stack.split('\n').map(printable))
  stderr.write(`${lines.join('\n')}\n`)
  return code
}

const asJson = ({ code, message, status, errors, hint, requestId, retryable, intentId }: Failure) => ({
  error: {
    code,
    message,
    status: status ?? null,
    errors: errors ?? null,
    hint: hint ?? null,
    request_id: requestId ?? null,
    retryable: retryable ?? false,
    intent_id: intentId ?? null,
  },
})

/** The service's details, a line for each message, where they say more than the message. */
function details({ message, errors }: Failure): string[] {
  if (typeof errors === 'string') return errors === message ? [] : [`  ${printable(errors)}`]
  return Object.entries(errors ?? {}).flatMap(([field, messages]) =>
    [messages]
      .flat()
      .map((text) => `  ${printable(field)}: ${printable(typeof text === 'string' ? text : JSON.stringify(text))}`),
  )
}

/**
 * How a run ends whose stdout takes no more, as on a full disk. When the service has carried something out, or may
 * have, the exit code must not say that nothing happened.
 */
export function lostOutput({ message }: Error, hasChanged: boolean): CliError {
  const what = `The output can't be written: ${message}.`
  if (!hasChanged) return new UsageError(what, 'Make room where it goes, and run it again.')
  return new CliError(
    'outcome_unknown',
    `${what} What the command was to change at the service may be done.`,
    'Look before you repeat it, for example: payctl payments intents',
  )
}
