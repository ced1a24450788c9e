# Starts shells for the server on request, waits for each and reports its exit status. When the server is gone without a
# word, it ends what the server left running. Requests arrive on fd 3, reports leave on fd 4.
#
# Arguments: the folder with the named pipes and the other scripts, the tags that every command inherits, the common
# beginning of the tags of this server, and whether recorded commands outlive the server.

place=$1 tags=$2 family=$3 outlive=$4
recorder=$(<"$place/output-recorder.sh")
read_command=$(<"$place/read-command.sh")
SHLVL=$((SHLVL - 1))
# No program of a project runs here: commands may write there. They get their PATH back.
path=$PATH
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin
type -P mkfifo >/dev/null || exit 69
exec 2>/dev/null

make_pipes() {
  local names=() n
  for ((n = $1; n < $2; n++)); do names+=("$place/$n.i" "$place/$n.o"); done
  # Without this report the server would wait for the pipes: it must see that there is no supervisor.
  mkfifo -m 600 "${names[@]}" || exit 1
  printf 'pipes %s %s\n' "$1" "$2" >&4
}

# A pipe is opened at both ends first: opening one end blocks until the server opens the other, which may be gone.
start_shell() (
  exec <"$input"
  if [[ $long ]]; then exec 5<"$place/$1.c"; else exec 6<>"$place/$1.i" 5<"$place/$1.i" 6<&-; fi
  # If something deleted the pipes, these are now regular files.
  [[ -p /dev/fd/1 && ($long || -p /dev/fd/5) ]] || exit 1
  for limit in "${limits[@]}"; do echo 0 >"$limit" || exit 1; done
  printf 'up %s %s %s\n' "$1" "$BASHPID" "$supervisor" >&4
  export SCORPIOX_TREE="$tags$1;"
  exec 3<&5 5<&- 4<&-
  exec 9<"$filter"
  PATH=$path exec "${cage[@]}" "$bash" -c "$prelude$read_command" bash 2>&1
)

# One subshell for each shell. $1 is its number, $2 a file with settings that replace the local variables below.
supervise() {
  local bash=$BASH cage=() limits=() prelude= filter=/dev/null input=/dev/null record=() status= long= supervisor=$BASHPID
  [[ -p $place/$1.i && -p $place/$1.o ]] || { printf 'exit %s 1\n' "$1" >&4; return; }
  [[ -z $2 ]] || . "$2"
  if ((${#record[@]})); then
    # A shell makes its background processes, and what they start, ignore these two.
    trap - INT QUIT
    # A session of its own: a signal to its group must not reach the recorder, which reads the output to its end.
    cage=($(type -P setsid) "${cage[@]}")
    # The exit status does not wait for the recorder, which reads until all children of the command have ended.
    { supervisor=$BASHPID; start_shell "$1"; code=$?; echo $code >"$status"; printf 'exit %s %s\n' "$1" $code >&4; } |
      (set -- "${record[@]}"; eval "$recorder") 4<&-
    printf 'closed %s\n' "$1" >&4
  else
    # With job control the command gets a process group of its own and does not ignore SIGINT.
    set -m
    start_shell "$1" 6<>"$place/$1.o" >"$place/$1.o" 6<&-
    printf 'exit %s %s\n' "$1" $? >&4
  fi
}

list_tagged() {
  local path
  for path in $(grep -ls -- ";$family\." /proc/[0-9]*/environ); do
    path=${path#/proc/}
    printf '%s ' "${path%/environ}"
  done
}

# Sets `children`. Not in a command substitution, whose subshell would be one of them.
list_children() {
  read -r children <"/proc/$$/task/$$/children"
}

make_pipes 0 32
while read -r what first second <&3; do
  case $what in
    pipes) make_pipes "$first" "$second" ;;
    shell) supervise "$first" "$second" & disown ;;
    leave) break ;;
  esac
done
# A command may have stopped the process that waits for it.
list_children
kill -s CONT $children
[[ $what != leave ]] || exit

exec 4<&-
if [[ -z $outlive ]]; then
  # A subshell that is still there may be about to start something. A process that is just executing another program
  # has no environment for a moment, so one empty list is not enough.
  SECONDS=0 calm=0 signal=TERM
  while ((SECONDS < 60 && calm < 3)); do
    pids=$(list_tagged)
    list_children
    if [[ $pids$children ]]; then calm=0; else calm=$((calm + 1)); fi
    if ((SECONDS >= 2)); then signal=KILL; fi
    # TERM is sent once: some programs end their clean-up at the second.
    if [[ $signal ]]; then kill -s $signal $pids; fi
    if [[ $signal = TERM ]]; then signal=; fi
    sleep 0.1
  done
fi
rm -rf "$place"
