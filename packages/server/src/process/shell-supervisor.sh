# shellcheck shell=bash
# Starts shells for the server on request, waits for each and reports its exit status. When the server exits without a
# `stop` request, kills the processes that it left running. Requests arrive on fd 3, reports are written to fd 4.
#
# Arguments: the directory with the FIFOs and the other scripts, the tags that every command inherits, the common prefix
# of the tags of this server, and whether recorded commands outlive the server.

directory=$1 tags=$2 tag_prefix=$3 jobs_outlive_server=$4
recorder=$(<"$directory/output-recorder.sh")
read_command=$(<"$directory/read-command.sh")
SHLVL=$((SHLVL - 1))
# No program of a project may run here, because commands may write to the project. Commands get their PATH back.
command_path=$PATH
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin
type -P mkfifo >/dev/null || exit 69
exec 2>/dev/null
# A report to a server that was killed must not end this process, which has to end the commands. A trap, unlike an ignored
# signal, is not inherited by them.
trap : PIPE

make_fifos() {
  local paths=() n
  for ((n = $1; n < $2; n++)); do paths+=("$directory/$n.i" "$directory/$n.o"); done
  # On failure the supervisor exits: without this report the server would wait for the FIFOs.
  mkfifo -m 600 "${paths[@]}" || exit 1
  printf 'fifos %s %s\n' "$1" "$2" >&4
}

# A FIFO is opened at both ends first: opening one end blocks until the server opens the other, and it may have exited.
# shellcheck disable=SC2094
exec_shell() (
  if [[ -p $input ]]; then exec 6<>"$input" <"$input" 6<&-; else exec <"$input"; fi
  exec 8<&-
  if [[ $has_command_file ]]; then exec 5<"$directory/$1.c"; else exec 6<>"$directory/$1.i" 5<"$directory/$1.i" 6<&-; fi
  # If the FIFOs were deleted, these are regular files now.
  [[ -p /dev/fd/1 && ($has_command_file || -p /dev/fd/5) ]] || exit 1
  for file in "${cgroup_files[@]}"; do echo 0 >"$file" || exit 1; done
  printf 'started %s %s %s\n' "$1" "$BASHPID" "$watcher" >&4
  export SCORPIOX_TREE="$tags$1;" SCORPIOX_ASKPASS_KEY="$askpass_key"
  exec 3<&5 5<&- 4<&-
  exec 9<"$seccomp_file"
  if [[ $terminal ]]; then exec_on_terminal "${wrapper[@]}" "$bash" -c "$prelude$read_command" bash; fi
  PATH=$command_path exec "${wrapper[@]}" "$bash" -c "$prelude$read_command" bash 2>&1
)

# script(1) makes the terminal outside of the sandbox. It runs /bin/sh, which reads no start-up file, and needs one string.
exec_on_terminal() {
  local word line='' quote="'" escaped="'\\''" shell='unset SHELL;'
  [[ ${SHELL+x} ]] && shell="SHELL=$quote${SHELL//$quote/$escaped}$quote; export SHELL;"
  for word; do line+=" $quote${word//$quote/$escaped}$quote"; done
  export PATH=$command_path SHELL=/bin/sh
  exec ${setsid:+"$setsid"} "$terminal" -qefE always -c "$stty $terminal_size; $shell exec$line" /dev/null 2>&1
  exit 127
}

# Runs in one subshell for each shell. $1 is its number, $2 identifies its command to the askpass program, $3 is a file with
# settings that replace the local variables below.
# shellcheck disable=SC2094
watch_shell() {
  local bash=$BASH wrapper=() cgroup_files=() prelude='' seccomp_file=/dev/null input=/dev/null
  local recorder_arguments=() status_file='' has_command_file='' setsid='' watcher=$BASHPID
  local terminal='' terminal_size='' stty='' input_fifo='' askpass_key=$2
  [[ -p $directory/$1.i && -p $directory/$1.o ]] || { printf 'exit %s 1\n' "$1" >&4; return; }
  # shellcheck source=/dev/null
  [[ -z $3 ]] || . "$3"
  if ((${#recorder_arguments[@]})); then
    # bash ignores SIGINT and SIGQUIT in background jobs and their children; restore the defaults.
    trap - INT QUIT
    # In a session of its own: a signal to the process group must not reach the recorder, which reads all of the output.
    setsid=$(type -P setsid)
    [[ $terminal ]] || wrapper=(${setsid:+"$setsid"} "${wrapper[@]}")
    # Held open here, so that the input does not end with the server.
    [[ -z $input_fifo ]] || { mkfifo -m 600 "$input_fifo" && exec 8<>"$input_fifo" && input=$input_fifo; }
    # The exit status does not wait for the recorder, which reads until all children of the command have exited.
    { watcher=$BASHPID; exec_shell "$1"; code=$?; echo $code >"$status_file"; printf 'exit %s %s\n' "$1" $code >&4; } |
      (set -- "${recorder_arguments[@]}"; eval "$recorder") 4<&- 8<&-
    printf 'closed %s\n' "$1" >&4
  else
    # With job control the command gets a process group of its own and does not ignore SIGINT.
    set -m
    exec_shell "$1" 6<>"$directory/$1.o" >"$directory/$1.o" 6<&-
    printf 'exit %s %s\n' "$1" $? >&4
  fi
}

list_tagged() {
  grep -ls -- ";$tag_prefix\." /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do printf '%s ' "$pid"; done
}

# Sets `children`. Not in a command substitution, whose subshell would be one of them.
list_children() {
  read -r -a children <"/proc/$$/task/$$/children"
}

make_fifos 0 32
while read -r request first second third <&3; do
  case $request in
    fifos) make_fifos "$first" "$second" ;;
    shell) watch_shell "$first" "$second" "$third" & disown ;;
    stop) break ;;
  esac
done
# A command may have stopped its watcher with SIGSTOP.
list_children
kill -s CONT "${children[@]}"
[[ $request != stop ]] || exit

exec 4<&-
if [[ -z $jobs_outlive_server ]]; then
  # A remaining watcher may be about to start a shell. During execve a process has no environment for a moment, so one
  # empty list is not enough.
  SECONDS=0 empty_lists=0 signal=TERM
  while ((SECONDS < 60 && empty_lists < 3)); do
    pids=$(list_tagged)
    list_children
    if [[ $pids${children[*]} ]]; then empty_lists=0; else empty_lists=$((empty_lists + 1)); fi
    if ((SECONDS >= 2)); then signal=KILL; fi
    # TERM is sent once: some programs abort their clean-up at the second.
    # shellcheck disable=SC2086 # $pids is a list.
    if [[ $signal ]]; then kill -s $signal $pids; fi
    if [[ $signal = TERM ]]; then signal=; fi
    sleep 0.1
  done
fi
rm -rf "$directory"
