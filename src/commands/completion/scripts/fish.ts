/** fish takes the lines as they are: value, tab, description. What it inserts it quotes itself. */
export const fish = `# fish completion for payctl

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
