// The recorder keeps the output of a job that outlives its server, without a Node process: a bash program that reads the
// output from a pipe and lays it down as store/job-output.ts describes. It ends when the pipe does and not before, so
// that it hears the last words of a command that was told to end; whatever the disk does, the pipe is emptied.
//
//   command 2>&1 | bash -p -c "$RECORDER" recorder <output folder> <bytes of a segment> <segments kept>

/**
 * dd is used because it writes what one read(2) gave before it reads again: a line is on disk at once, and of a pipe it
 * takes not a byte more than it writes. It reads `count` times, however little comes, so it is run until the segment is
 * full, which it is when less than an eighth is left: to fill the rest, a trickle would need a dd for each read. That
 * it read nothing at all is the only sign of the end. What a failed dd had read counts as a whole block, so that the gap
 * can be seen; where it said nothing it never read, and `drain` must. A flood tries a full disk once a second, a trickle
 * with each line. Where there is no dd, bash reads by itself, slowly.
 */
export const RECORDER = `
exec >/dev/null 2>&1
trap '' HUP INT QUIT TERM USR1 USR2 XFSZ
umask 077
set -C
export LC_ALL=C
folder=$1 segment=$2 kept=$3 at=0
block=$((segment < 131072 ? (segment + 7) / 8 : 16384))

make_room() {
  local files=("$folder"/[0-9]*)
  while ((\${#files[@]} >= kept && \${#files[@]} > 1)); do
    rm -f "\${files[1]}"
    files=("\${files[0]}" "\${files[@]:2}")
  done
}

drain() {
  local gone
  gone=$(dd bs=65536 count=1 | wc -c)
  ((gone > 0)) && at=$((at + gone)) && return
  IFS= read -r -N 65536 gone || exit 0
  at=$((at + \${#gone}))
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
`
