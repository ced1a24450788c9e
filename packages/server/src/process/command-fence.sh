# shellcheck shell=bash
# Kills the commands of a server that was stopped or hangs, before the lease of its machine ends. Each line on fd 3 is
# the number of seconds until the next one is due; without it in time, every tagged process is killed. Exits with the
# server: what a dead server leaves is ended by the supervisor of shells.
#
# Argument: the common prefix of the tags of the server's commands.

tag_prefix=$1
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin
exec 2>/dev/null

list_tagged() {
  grep -ls -- ";$tag_prefix\." /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do printf '%s ' "$pid"; done
}

seconds=
while :; do
  read -r ${seconds:+-t "$seconds"} line <&3
  status=$?
  if ((status > 128)); then
    # During execve a process has no environment for a moment, so one list is not enough.
    for _ in 1 2 3; do
      pids=$(list_tagged)
      # shellcheck disable=SC2086 # $pids is a list.
      if [[ $pids ]]; then kill -s KILL $pids; fi
      sleep 0.05
    done
    seconds=
  elif ((status)); then
    exit
  else
    seconds=$line
  fi
done
