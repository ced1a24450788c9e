# Keeps the output of a job that outlives its server, without a Node process: reads it from stdin and writes it to disk in
# the layout of store/job-output.ts. It ends when the output does and not before, so that it records what a command prints
# when it is told to end; whatever the disk does, the pipe is emptied.
#
# Arguments: the output folder, the bytes of a segment, the number of segments kept.
#
# dd writes what one read(2) returned before it reads again: a line is on disk at once, and it takes no byte from the pipe
# that it does not write. It reads `count` times, however little each read returns, so it is run until the segment is full,
# which it is when less than an eighth is left: to fill the rest, a slow stream would need a dd for each read. Only a dd
# that read nothing at all means the end. What a failed dd had read counts as a whole block, so that the gap can be seen;
# a dd that reported nothing never read, and `drain` must. On a full disk a fast stream is retried once a second, a slow
# one with each line. Where there is no dd, bash reads by itself, slowly.

exec >/dev/null 2>&1
trap '' HUP INT QUIT TERM USR1 USR2 XFSZ
umask 077
set -C
export LC_ALL=C
folder=$1 segment=$2 kept=$3 at=0
block=$((segment < 131072 ? (segment + 7) / 8 : 16384))

make_room() {
  local files=("$folder"/[0-9]*)
  while ((${#files[@]} >= kept && ${#files[@]} > 1)); do
    rm -f "${files[1]}"
    files=("${files[0]}" "${files[@]:2}")
  done
}

drain() {
  local gone
  gone=$(dd bs=65536 count=1 | wc -c)
  ((gone > 0)) && at=$((at + gone)) && return
  IFS= read -r -N 65536 gone || exit 0
  at=$((at + ${#gone}))
}

record() {
  local counts
  while (((segment - size) * 8 >= segment)); do
    counts=$(dd bs=$block count=$(((segment - size) / block)) 2>&1 >>"$file") || failed=yes
    size=$(wc -c <"$file") || failed=yes
    [[ $counts == *'records in'* ]] || drain
    [[ $counts == '0+0 records in'* ]] && ended=yes
    [[ $ended$failed ]] && return
  done
}

mkdir -p "$folder"
while make_room; printf -v file %s/%015d "$folder" $at; do
  size=0 failed= ended=
  if ! printf '' >"$file"; then drain; continue; fi
  record
  ((size > 0)) || rm -f "$file"
  [[ $ended ]] && exit 0
  at=$((at + size))
  [[ $failed ]] || continue
  at=$((at + block)) now=$SECONDS
  while ((SECONDS == now)) && read -t 0; do drain; done
done
