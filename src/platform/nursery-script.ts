// What the nursery runs: a small bash that forks shells on request, watches over each until its end, and, when the
// server is gone without telling it to leave, ends what the server left running. Requests come in on fd 3, reports go
// out on fd 4.

/**
 * Arguments: the folder with the pipes, the tags every command inherits, the tag of the family, the text of WAITER,
 * whether commands outlive the server, the text of the recorder.
 */
export const NURSERY = String.raw`
place=$1 tags=$2 family=$3 waiter=$4 outlive=$5 recorder=$6
SHLVL=$((SHLVL - 1))
# Nothing of a project is run out here: commands may write there. They get their PATH back.
path=$PATH
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin
type -P mkfifo >/dev/null || exit 69
exec 2>/dev/null

pipes() {
  local names=() n
  for ((n = $1; n < $2; n++)); do names+=("$place/$n.i" "$place/$n.o"); done
  # Who could not be told would wait.
  mkfifo -m 600 "\${names[@]}" || exit 1
  printf 'pipes %s %s\n' "$1" "$2" >&4
}

# A pipe is opened at both ends first: at one alone, who opens it waits for the server, also for one that is gone.
begin() (
  exec <"$input"
  if [[ $long ]]; then exec 5<"$place/$1.c"; else exec 6<>"$place/$1.i" 5<"$place/$1.i" 6<&-; fi
  # Opened where somebody has tidied up, they are files.
  [[ -p /dev/fd/1 && ($long || -p /dev/fd/5) ]] || exit 1
  for limit in "\${limits[@]}"; do echo 0 >"$limit" || exit 1; done
  printf 'up %s %s %s\n' "$1" "$BASHPID" "$nurse" >&4
  export SCORPIOX_TREE="$tags$1;"
  exec 3<&5 5<&- 4<&-
  exec 9<"$filter"
  PATH=$path exec "\${cage[@]}" "$bash" -c "$prelude$waiter" bash 2>&1
)

nurse() {
  local bash=$BASH cage=() limits=() prelude= filter=/dev/null input=/dev/null record=() status= long= nurse=$BASHPID
  [[ -p $place/$1.i && -p $place/$1.o ]] || { printf 'exit %s 1\n' "$1" >&4; return; }
  [[ -z $2 ]] || . "$2"
  if ((\${#record[@]})); then
    # A shell makes its background processes deaf to these two, and whatever they start.
    trap - INT QUIT
    # Not in one group with the recorder, which must hear its last words.
    cage=($(type -P setsid) "\${cage[@]}")
    # What it left behind may hold the recorder, but not the news of its end.
    { nurse=$BASHPID; begin "$1"; told=$?; echo $told >"$status.new"; mv "$status.new" "$status"; printf 'exit %s %s\n' "$1" $told >&4; } |
      "$BASH" -p -c "$recorder" recorder "\${record[@]}" 4<&-
    printf 'closed %s\n' "$1" >&4
  else
    # It puts the command into a group of its own, and leaves it its ears.
    set -m
    begin "$1" 6<>"$place/$1.o" >"$place/$1.o" 6<&-
    printf 'exit %s %s\n' "$1" $? >&4
  fi
}

left() {
  local path
  for path in $(grep -ls -- ";$family\." /proc/[0-9]*/environ); do
    path=\${path#/proc/}
    printf '%s ' "\${path%/environ}"
  done
}

# Not to be asked from a subshell, which would be one of them.
count_nurses() {
  read -r nurses <"/proc/$$/task/$$/children"
}

pipes 0 32
while read -r what first second <&3; do
  case $what in
    pipes) pipes "$first" "$second" ;;
    shell) nurse "$first" "$second" & disown ;;
    leave) break ;;
  esac
done
# A command may have stopped who watches over it.
count_nurses
kill -s CONT $nurses
[[ $what != leave ]] || exit

exec 4<&-
if [[ -z $outlive ]]; then
  # A nurse that is still there may be about to start something. None found once may just have been between two programs.
  for ((round = 0, calm = 0; round < 60 && calm < 3; round++)); do
    pids=$(left)
    count_nurses
    if [[ $pids$nurses ]]; then calm=0; else calm=$((calm + 1)); fi
    if ((round == 0)); then kill -s TERM $pids; elif ((round >= 20)); then kill -s KILL $pids; fi
    sleep 0.1
  done
fi
rm -rf "$place"
`.replaceAll('\\${', '${')

/**
 * A shell that waits for its one command, which is whole when there is a NUL behind it: a part may do anything. The text
 * stays on one line, so that the command's own lines count from one; nobody may see what it was read with, nor how long
 * the shell has been waiting.
 */
export const WAITER = 'IFS= read -rd "" -u 3 || exit 0; exec 3<&- 9<&-; SECONDS=0; eval "unset REPLY; $REPLY"'
