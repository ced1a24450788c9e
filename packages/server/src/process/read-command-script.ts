// The script that a prepared shell runs: it reads one command from fd 3 and executes it.

/** The maximum length of a command that is passed to another bash as an argument. */
const MAX_ARGUMENT = 30_000

/**
 * A command is complete when a NUL follows it: a partial command is not run. All is on one line, so that the line
 * numbers of the command start at 1. The variable that held the command is unset, and SECONDS starts at 0. `eval` adds
 * a level, which `set -x` would show as a second `+`: a command that traces is run by another bash. Up to bash 5.0,
 * line numbers with `-c` start at 0, which an empty line corrects.
 */
export const READ_COMMAND = [
  'IFS= read -rd "" -u 3 || exit 0',
  'exec 3<&- 9<&-',
  `if ((\${#REPLY} < ${MAX_ARGUMENT})) && [[ $REPLY =~ set([[:blank:]]+-[a-zA-Z]+)*[[:blank:]]+-[a-zA-Z]*x|xtrace ]]; then ((LINENO)) || REPLY=$'\\n'$REPLY; exec "$BASH" -c -- "$REPLY" bash; fi`,
  'SECONDS=0',
  'eval "unset REPLY; $REPLY"',
].join('; ')
