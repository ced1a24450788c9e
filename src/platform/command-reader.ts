// What a shell that was started ahead of time runs: it reads its one command from fd 3 and becomes it.

/** At most so many characters are passed to another bash as an argument. */
const MAX_ARGUMENT = 30_000

/**
 * A command is whole when a NUL follows it: a part of one is not run. All is on one line, so that the lines of the
 * command count from 1. The variable it was read into is unset, and SECONDS starts at 0. `eval` adds a level, which
 * `set -x` would show as a second `+`: a command that traces is run by another bash. Up to bash 5.0 lines given to
 * `-c` count from 0, and an empty one corrects that.
 */
export const READ_COMMAND = [
  'IFS= read -rd "" -u 3 || exit 0',
  'exec 3<&- 9<&-',
  `if ((\${#REPLY} < ${MAX_ARGUMENT})) && [[ $REPLY =~ set([[:blank:]]+-[a-zA-Z]+)*[[:blank:]]+-[a-zA-Z]*x|xtrace ]]; then ((LINENO)) || REPLY=$'\\n'$REPLY; exec "$BASH" -c -- "$REPLY" bash; fi`,
  'SECONDS=0',
  'eval "unset REPLY; $REPLY"',
].join('; ')
