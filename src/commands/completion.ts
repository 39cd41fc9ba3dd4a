import { command } from '../cli/command.ts'
import { text } from '../cli/prints.ts'
import { write } from '../run/sink.ts'

const program = 'payctl'

/** For each shell, the line that loads the completion script, and the startup file in the home folder for that line. */
export const startupLines = {
  bash: { file: '.bashrc', line: `eval "$(${program} completion bash)"` },
  zsh: { file: '.zshrc', line: `source <(${program} completion zsh)` },
  fish: { file: '.config/fish/config.fish', line: `${program} completion fish | source` },
} as const

const installation = `
Install the script, then open a new terminal:
  bash: add to ~/.bashrc
    ${startupLines.bash.line}
  zsh: add to ~/.zshrc, after compinit
    ${startupLines.zsh.line}
  fish: run once
    payctl completion fish > ~/.config/fish/completions/payctl.fish
  PowerShell: add to the file that $PROFILE names
    payctl completion powershell | Out-String | Invoke-Expression`

export const completion = command({
  summary: 'Script that makes your shell complete payctl with Tab',
  about:
    'Print the script that makes a shell complete payctl with Tab: commands, flags and their values, profiles, ' +
    'payees, and ids of accounts, subscriptions and payments with their descriptions. Accounts and subscriptions come ' +
    'from the service, and are cached for a minute.',
  args: { '<shell>': { about: 'your shell', choices: ['bash', 'zsh', 'fish', 'powershell'] } },
  prints: text,
  notes: installation,
  examples: ['payctl completion bash', 'payctl completion zsh > ~/.zfunc/_payctl'],
  async run({ shell }, { io }) {
    await write(io.stdout, scripts[shell])
  },
})

/**
 * Script for bash 3.2 (macOS) and later, without the bash-completion package. payctl's output is only read and
 * assigned: it is never evaluated, split or expanded.
 */
const bash = `# bash completion for payctl

_payctl() {
  local tab=$'\\t' typed="\${COMP_LINE:0:COMP_POINT}" cut='' longest=0 listing='' line value about room at
  local -a values abouts
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :files ]] && return 0
    [[ $line ]] || continue
    value="\${line%%"$tab"*}"
    values+=("$value")
    abouts+=("\${line#*"$tab"}")
    (( \${#value} > longest )) && longest=\${#value}
  done <<< "$(command payctl __complete line "$typed" 2>/dev/null </dev/null)"

  # No file names here. Bash before version 4 lacks compopt, and offers them anyway.
  compopt +o default 2>/dev/null
  compopt -o nosort 2>/dev/null
  (( \${#values[@]} )) || return 0

  # Bash takes = and : for ends of words, and wants only what follows the last of them.
  typed="\${typed##*[[:space:]]}"
  [[ $typed == *=* && $COMP_WORDBREAKS == *=* ]] && cut="\${typed%"\${typed##*=}"}"
  [[ \${typed#"$cut"} == *:* && $COMP_WORDBREAKS == *:* ]] && cut="\${typed%"\${typed##*:}"}"

  # Descriptions are for reading: they are added only where bash lists what there is and inserts nothing of it.
  case \${COMP_TYPE-} in 33 | 63 | 64) (( \${#values[@]} > 1 )) && listing=yes ;; esac
  longest=$(( longest - \${#cut} ))
  room=$(( \${COLUMNS:-80} - longest - 5 ))
  for at in "\${!values[@]}"; do
    value="\${values[at]#"$cut"}"
    about="\${abouts[at]}"
    if [[ $listing && $about ]] && (( room > 10 )); then
      printf -v value '%-*s  (%s)' "$longest" "$value" "\${about:0:room}"
    fi
    COMPREPLY+=("$value")
  done
  return 0
}

complete -o default -F _payctl payctl
`

/** Script for zsh: works as a file `_payctl` in a folder of `fpath`, and when it is sourced after `compinit`. */
const zsh = `#compdef payctl
# zsh completion for payctl

_payctl() {
  local tab=$'\\t' line value about
  local -a answers values
  answers=("\${(@f)$(command payctl __complete words "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  if [[ $answers[1] == :files ]]; then
    _files
    return
  fi
  for line in $answers; do
    value=\${line%%$tab*} about=\${line#*$tab}
    values+=("\${value//:/\\\\:}:\${about//\\\\/\\\\\\\\}")
  done
  (( $#values )) && _describe -V payctl values
}

if [[ $funcstack[1] == _payctl ]]; then
  _payctl "$@"
elif (( $+functions[compdef] )); then
  compdef _payctl payctl
fi
`

/** fish reads the lines unchanged (value, tab, description) and quotes what it inserts. */
const fish = `# fish completion for payctl

function __payctl_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l answers (command payctl __complete words $words[2..-1] "$typed" 2>/dev/null </dev/null)
    if test "$answers[1]" = :files
        __fish_complete_path "$typed"
    else if set -q answers[1]
        printf '%s\\n' $answers
    end
end

complete -c payctl -e
complete -c payctl -f -k -a '(__payctl_complete)'
`

/**
 * Script for Windows PowerShell 5.1 and PowerShell 7. The line is passed as base64, because the shims that npm
 * installs, and PowerShell before 7.3, lose quotes and empty arguments.
 */
const powershell = `# PowerShell completion for payctl

Register-ArgumentCompleter -Native -CommandName payctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.Extent.Text
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    $line = if ($length -lt $line.Length) { $line.Substring(0, $length) } else { $line.PadRight($length) }
    $encoded = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($line))
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [Text.Encoding]::UTF8
        $answers = @(payctl __complete base64 $encoded 2>$null)
    } finally {
        [Console]::OutputEncoding = $encoding
    }
    if ($answers.Count -eq 0) { return '' }
    if ($answers[0] -eq ':files') { return }
    foreach ($answer in $answers) {
        $value, $about = $answer.Split([char]9, 2)
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
`

const scripts = { bash, zsh, fish, powershell }
