/**
 * For bash 3.2 (macOS) and later, without the bash-completion package. What payctl answers is only ever read and
 * assigned: nothing of it is evaluated, split or expanded.
 */
export const bash = `# bash completion for payctl

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

  # No place for file names. Before bash 4 there is no compopt, and they are offered all the same.
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
