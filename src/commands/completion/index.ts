import { Argument } from 'commander'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { write } from '../../run/sink.ts'

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

const installation = `
Install it, then open a new terminal:
  bash: add to ~/.bashrc
    eval "$(payctl completion bash)"
  zsh: add to ~/.zshrc, after compinit
    source <(payctl completion zsh)
  fish: run once
    payctl completion fish > ~/.config/fish/completions/payctl.fish
  PowerShell: add to the file that $PROFILE names
    payctl completion powershell | Out-String | Invoke-Expression`

export const completion: CommandModule = (command, context) => {
  command
    .description(
      'Print the script that makes a shell complete payctl with Tab: commands, flags and their values, profiles, and ids ' +
        'of accounts, subscriptions and payments with what they stand for. Accounts are asked of the service and ' +
        'kept for a minute.',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText('after', installation)
    .action(async (shell: (typeof shells)[number]) => {
      const { scripts } = await import('./scripts.ts')
      await write(context.io.stdout, scripts[shell])
    })
  examples(command, ['payctl completion bash', 'payctl completion zsh > ~/.zfunc/_payctl'])
}
