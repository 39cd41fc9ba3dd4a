import type { CliError } from '../../errors/cli_error.ts'
import type { Context } from '../context.ts'

/** Where an inquirer prompt asks: on stderr, as stdout is for data. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly signal: AbortSignal
}

/**
 * One question. Ctrl-C ends the run as an interruption; the end of the input (Ctrl-D, a terminal that is gone) throws
 * what `unanswered` gives.
 */
export async function question<Answer>(
  ask: (terminal: Terminal) => Promise<Answer>,
  { io, signal }: Context,
  unanswered: () => CliError,
): Promise<Answer> {
  const ended = whenInputEnds(io.stdin)
  try {
    return await ask({ input: io.stdin, output: io.stderr, signal: AbortSignal.any([signal, ended.signal]) })
  } catch (error) {
    throw ended.signal.aborted ? unanswered() : error
  } finally {
    ended.forget()
  }
}

interface Key {
  readonly ctrl: boolean
  readonly name?: string
}

/** inquirer waits for ever when the terminal is gone or Ctrl-D closes its readline. */
function whenInputEnds(stdin: Context['io']['stdin']) {
  const controller = new AbortController()
  const onEnd = () => {
    // readline closes on its own, and a terminal that is gone takes no settings: an error that nobody could catch.
    Object.assign(stdin, { setRawMode: () => stdin })
    controller.abort()
  }
  const onKey = (_: unknown, key: Key | undefined) => {
    if (key?.ctrl && key.name === 'd') controller.abort()
  }
  // Stays: a terminal that fails after the answer must not end the process while a request is under way.
  stdin.on('error', onEnd)
  stdin.once('end', onEnd).on('keypress', onKey)
  return {
    signal: controller.signal,
    forget: () => {
      stdin.removeListener('end', onEnd).removeListener('keypress', onKey)
    },
  }
}
