/** Works as a file `_payctl` in a folder of `fpath`, and sourced after `compinit`. */
export const zsh = `#compdef payctl
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
