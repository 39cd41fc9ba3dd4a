import { Argument } from 'commander'
import { write } from '../../run/sink.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'

const scripts = {
  bash: async () => (await import('./scripts/bash.ts')).bash,
  zsh: async () => (await import('./scripts/zsh.ts')).zsh,
  fish: async () => (await import('./scripts/fish.ts')).fish,
  powershell: async () => (await import('./scripts/powershell.ts')).powershell,
}

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
        'of accounts, subscriptions and payments with what they stand for. Account ids are asked of the service and ' +
        'kept for a minute.',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .addHelpText('after', installation)
    .action(async (shell: keyof typeof scripts) => write(context.io.stdout, await scripts[shell]()))
  examples(command, ['payctl completion bash', 'payctl completion zsh > ~/.zfunc/_payctl'])
}
