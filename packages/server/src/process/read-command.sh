# shellcheck shell=bash
# Reads one command from fd 3 and executes it. supervisor.ts removes these comments and joins the statements to one line,
# so that the line numbers of the command start at 1; each statement must therefore be one line.
#
# A command is complete when a NUL follows it: a partial command is not run. The variable that held the command is unset,
# and SECONDS starts at 0. `eval` adds a level, which `set -x` would show as a second `+`: a command that traces is run by
# another bash, unless it is too long for an argument. Up to bash 5.0, line numbers with `-c` start at 0, which an empty
# line corrects.
#
# Variables may precede the command (command-variables.ts): shell code between the bytes 1 and 2. They are set before the
# command is looked at, so that no list of processes shows them.
#
# The statements are an argument of bash, so the process list shows them; it shows no command. The alternatives are worse:
# - a file that is sourced, or bound into the sandbox and sourced, is named in the error messages of every command, in place
#   of `bash: line 1:`; so is /dev/fd/N as a script, which also runs a partial command and becomes $0;
# - stdin belongs to the command, and BASH_ENV to the user;
# - an exported function takes 3 % more CPU time for each shell, because bash parses and copies it (2.07 instead of 2.01 ms).

IFS= read -rd "" -u 3 || exit 0
exec 3<&- 9<&-
if [[ $REPLY = $'\1'* ]]; then REPLY=${REPLY#?}; eval "${REPLY%%$'\2'*}"; REPLY=${REPLY#*$'\2'}; fi
if ((${#REPLY} < 30000)) && [[ $REPLY =~ set([[:blank:]]+-[a-zA-Z]+)*[[:blank:]]+-[a-zA-Z]*x|xtrace ]]; then ((LINENO)) || REPLY=$'\n'$REPLY; exec "$BASH" -c -- "$REPLY" bash; fi
SECONDS=0
eval "unset REPLY; $REPLY"
