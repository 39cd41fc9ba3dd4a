import { CliError } from '../../errors/cli_error.ts'
import { printable } from '../../run/sanitise.ts'
import type { Context } from '../context.ts'
import { question } from '../prompts/question.ts'

interface Question {
  readonly message: string
  /** Typed without being shown. */
  readonly hidden?: boolean
  /** What to type after a question that was left. */
  readonly again: string
  /** Withdraws the question. */
  readonly signal?: AbortSignal
}

/** Asks until something is typed. The answer comes without spaces around it. */
export async function ask(context: Context, { message, hidden, again, signal: withdrawn }: Question): Promise<string> {
  const { input, password } = await import('@inquirer/prompts')
  const validate = (text: string): boolean | string => text.trim() !== '' || 'Type something, or Ctrl-C to stop.'
  const asked = { message: printable(message), validate }
  const answer = await question(
    (terminal) => {
      const signal = withdrawn ? AbortSignal.any([terminal.signal, withdrawn]) : terminal.signal
      return hidden
        ? password({ ...asked, toggleMask: false }, { ...terminal, signal })
        : input(asked, { ...terminal, signal })
    },
    context,
    () => new CliError('unauthenticated', 'There was no answer: not logged in.', `Try again: ${again}`),
  )
  return answer.trim()
}
