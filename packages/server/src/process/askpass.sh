# shellcheck shell=sh disable=SC2154 # askpass-folder.ts writes `runtime` and `refusal` in front of this.
# The askpass program of commands: sudo -A, ssh and git run it with a prompt and read the answer from its stdout. The
# question goes to the user on the console, through ask-user.cjs and the socket beside this file, which exist once a
# console was open. A terminal that a program made for this purpose (sshpass, expect) comes first. On a terminal that can be
# typed into, the prompt appears there if no user can be asked. Otherwise the answer is a sentence on stderr and exit code 1.

folder=${0%/*}
prompt=${1-}

# Exit code 3: no user can be asked. 4: the server cannot be reached.
ask_user() {
  [ -S "$folder/socket" ] || return 3
  [ -x "$runtime" ] || return 4
  BUN_BE_BUN=1 "$runtime" "$folder/ask-user.cjs" "$folder" "$prompt"
}

ask_on_terminal() {
  # Neither a user name nor a yes is a secret.
  case $prompt in
    "Username for "* | *"(yes/no"*) saved='' ;;
    *) saved=$(stty -g </dev/tty) ;;
  esac
  if [ "$saved" ]; then
    trap 'stty "$saved" </dev/tty; exit 1' HUP INT TERM
    stty -echo </dev/tty
  fi
  # Not before: what is typed as soon as the prompt appears would be echoed.
  printf '%s' "$prompt" >/dev/tty
  IFS= read -r answer </dev/tty
  code=$?
  if [ "$saved" ]; then
    stty "$saved" </dev/tty
    echo >/dev/tty
  fi
  [ $code = 0 ] && printf '%s\n' "$answer"
}

if (: </dev/tty) 2>/dev/null; then has_terminal=1; else has_terminal=''; fi
if [ "$has_terminal" ] && [ -z "${SCORPIOX_TERMINAL-}" ]; then
  ask_on_terminal
  exit
fi
ask_user
code=$?
[ $code -ge 3 ] || exit $code
[ $code = 3 ] || refusal='the sandbox of this command prevents it. Ask the user to run the command.'
if [ "$has_terminal" ]; then
  ask_on_terminal
  exit
fi
echo "Could not ask for the password: $refusal" >&2
exit 1
