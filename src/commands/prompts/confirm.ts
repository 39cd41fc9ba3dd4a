import { CliError } from '../../errors/cli_error.ts'
import { printable } from '../../run/sanitise.ts'
import type { Context } from '../context.ts'
import { question } from './question.ts'

/** Anything but a yes ends the run, saying that `nothing` came of it. */
export async function requireYes(message: string, context: Context, nothing = 'nothing was sent'): Promise<void> {
  const notConfirmed = () =>
    new CliError('usage', `Not confirmed: ${nothing}.`, 'Run it again to be asked again, or add --yes')
  const { confirm } = await import('@inquirer/prompts')
  const yes = await question(
    (terminal) => confirm({ message: printable(message), default: false }, terminal),
    context,
    notConfirmed,
  )
  if (!yes) throw notConfirmed()
}
