import { command } from '../../cli/command.ts'
import { text } from '../../cli/prints.ts'
import { write } from '../../run/sink.ts'

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

export const completion = command({
  summary: 'Script that makes your shell complete payctl with Tab',
  about:
    'Print the script that makes a shell complete payctl with Tab: commands, flags and their values, profiles, and ids ' +
    'of accounts, subscriptions and payments with what they stand for. Accounts are asked of the service and ' +
    'kept for a minute.',
  args: { '<shell>': { about: 'which shell', choices: ['bash', 'zsh', 'fish', 'powershell'] } },
  prints: text,
  notes: installation,
  examples: ['payctl completion bash', 'payctl completion zsh > ~/.zfunc/_payctl'],
  async run({ shell }, { io }) {
    const { scripts } = await import('./scripts.ts')
    await write(io.stdout, scripts[shell])
  },
})
