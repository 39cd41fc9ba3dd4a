import { CliError } from '../../output/cli_error.ts'
import { printable } from '../../output/sanitise.ts'
import type { Context } from '../context.ts'

/** Asks on stderr, as stdout is for data. Anything but a yes ends the run, saying that `nothing` came of it. */
export async function requireYes(
  question: string,
  { io, signal }: Context,
  nothing = 'nothing was sent',
): Promise<void> {
  const { confirm } = await import('@inquirer/prompts')
  const ended = whenInputEnds(io.stdin)
  try {
    const yes = await confirm(
      { message: printable(question), default: false },
      { input: io.stdin, output: io.stderr, signal: AbortSignal.any([signal, ended.signal]) },
    )
    if (!yes) throw notConfirmed(nothing)
  } catch (error) {
    throw ended.signal.aborted ? notConfirmed(nothing) : error
  } finally {
    ended.forget()
  }
}

const notConfirmed = (nothing: string): CliError =>
  new CliError('usage', `Not confirmed: ${nothing}.`, 'Run it again to be asked again, or add --yes')

interface Key {
  readonly ctrl: boolean
  readonly name?: string
}

/** inquirer waits for ever when the terminal is gone or Ctrl-D closes its readline. */
function whenInputEnds(stdin: Context['io']['stdin']) {
  const controller = new AbortController()
  const onEnd = () => controller.abort()
  const onKey = (_: unknown, key: Key | undefined) => {
    if (key?.ctrl && key.name === 'd') onEnd()
  }
  stdin.once('end', onEnd).on('keypress', onKey)
  return {
    signal: controller.signal,
    forget: () => {
      stdin.removeListener('end', onEnd).removeListener('keypress', onKey)
    },
  }
}
