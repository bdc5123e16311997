# SPDX-License-Identifier: Apache-2.0
#
# Completion of bash for cairn, cairn-cc, cairn-migrate and tiny. Each option, subcommand and name comes from the --help of the command
# that is completed, so that the shell has no list of its own.

# Prints the options that the help on standard input lists. An option whose value is a placeholder ends in "=".
_cairn_options() {
  sed -nE 's/^  (-[^ ]*[^ ,]),?( (-[^ ]*))?.*/\1\n\3/p' |
    sed -nE 's/<.*//; s/^(-[^=[]*)\[=.*/\1\n\1=/; s/=[A-Z[].*/=/; /^-/p' | LC_ALL=C sort -u
}

# Prints the first column of the help's section with this title.
_cairn_section() {
  sed -nE "/^$1( \\(.*\\))?:\$/,/^\$/s/^  ([^ ]+) .*/\\1/p"
}

# Prints the names that the value of an option may list, separated by commas.
_cairn_names() { # COMMAND WORD PREVIOUS
  local tool=${1%-cc}

  case $2/$3 in
  */-p | --print-after=*) "$tool" opt --help | _cairn_section passes ;;
  --print=*) "$tool" opt --help | _cairn_section analyses ;;
  --without=* | -fcairn-without=*) "$tool" opt --help | _cairn_section 'optimisations( of place-safepoints)?' ;;
  --polls=* | -fcairn-polls=*) "$tool" opt --help | _cairn_section 'places of polls' ;;
  esac 2>/dev/null
}

_cairn() { # COMMAND, as bash passes it
  local line=${COMP_LINE:0:COMP_POINT} word names help
  local -a words

  COMPREPLY=()
  read -ra words <<<"$line"
  word=${line##*[[:space:]]}
  [ -n "$word" ] || words+=('')
  names=$(_cairn_names "$1" "$word" "${words[-2]}")
  case ${1##*/}/${#words[@]}/${words[1]} in
  cairn/2/[^-]* | cairn/2/ | cairn/3/help) help=$("$1" --help 2>/dev/null | _cairn_section subcommands; echo help) ;;
  cairn/2/*) help=$("$1" --help 2>/dev/null | _cairn_options) ;;
  cairn/*) help=$("$1" "${words[1]}" --help 2>/dev/null | _cairn_options) ;;
  *) help=$("$1" --help 2>/dev/null | _cairn_options) ;;
  esac
  if [ -n "$names" ]; then
    local before=${word%"${word##*[,=]}"}
    COMPREPLY=($(compgen -P "$before" -W "$names" -- "${word#"$before"}"))
    compopt -o nospace
  elif [[ $word == -* || (${1##*/} == cairn && ${#words[@]} == 2) || ${words[1]}/${#words[@]} == help/3 ]]; then
    COMPREPLY=($(compgen -W "$help" -- "$word"))
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
  fi
  # bash completes only the part of the word after the last of its word breaks.
  local part=${word%"${word##*["$COMP_WORDBREAKS"]}"}
  COMPREPLY=("${COMPREPLY[@]#"$part"}")
} 2>/dev/null

complete -o default -F _cairn cairn cairn-cc cairn-migrate tiny
