import { CliError, UsageError } from '../../errors/cli_error.ts'
import { printable } from '../../run/sanitise.ts'
import type { Context } from '../context.ts'
import { question } from './question.ts'

const unanswered = (): CliError =>
  new CliError('usage', 'No answer: nothing was done.', 'Run it again to be asked again, or give the values as flags')

interface TextQuestion {
  readonly message: string
  /** Throws UsageError for what will not do: the person may correct it. */
  readonly check: (answer: string) => unknown
}

/** Asks for a line of text until `check` is content with it. */
export async function askText({ message, check }: TextQuestion, context: Context): Promise<string> {
  const { input } = await import('@inquirer/prompts')
  const validate = (answer: string): true | string => complaintOf(() => check(answer)) ?? true
  const answer = await question(
    (terminal) => input({ message: printable(message), validate }, terminal),
    context,
    unanswered,
  )
  return answer.trim()
}

/** Flags are for those who type flags. */
function complaintOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return printable(
      [error.message, error.hint]
        .filter(Boolean)
        .join(' ')
        .replace(/--[\w-]+ /g, ''),
    )
  }
}

interface Choice<Value> {
  readonly value: Value
  readonly name: string
  /** Shown below the list while the choice is marked. */
  readonly description?: string
}

interface ChoiceQuestion<Value> {
  readonly message: string
  readonly choices: readonly Choice<Value>[]
}

/** Asks for one of a few. */
export async function askChoice<Value>({ message, choices }: ChoiceQuestion<Value>, context: Context): Promise<Value> {
  const { select } = await import('@inquirer/prompts')
  const shown = choices.map(({ value, name, description }) => ({
    value,
    name: printable(name),
    ...(description !== undefined && { description: printable(description) }),
  }))
  return question(
    (terminal) => select({ message: printable(message), choices: shown, pageSize: 10, loop: false }, terminal),
    context,
    unanswered,
  )
}
