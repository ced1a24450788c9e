# shellcheck shell=bash
# Reads one command from fd 3 and executes it. supervisor.ts removes these comments and joins the statements to one line,
# so that the line numbers of the command start at 1; each statement must therefore be one line.
#
# A command is complete when a NUL follows it: a partial command is not run. The variable that held the command is unset,
# and SECONDS starts at 0. `eval` adds a level, which `set -x` would show as a second `+`: a command that traces is run by
# another bash, unless it is too long for an argument. Up to bash 5.0, line numbers with `-c` start at 0, which an empty
# line corrects.

IFS= read -rd "" -u 3 || exit 0
exec 3<&- 9<&-
if ((${#REPLY} < 30000)) && [[ $REPLY =~ set([[:blank:]]+-[a-zA-Z]+)*[[:blank:]]+-[a-zA-Z]*x|xtrace ]]; then ((LINENO)) || REPLY=$'\n'$REPLY; exec "$BASH" -c -- "$REPLY" bash; fi
SECONDS=0
eval "unset REPLY; $REPLY"
