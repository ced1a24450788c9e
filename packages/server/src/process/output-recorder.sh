# shellcheck shell=bash
# Records the output of a job that outlives the server, without a Node.js process: reads stdin and writes segment files in
# the format that features/shell/output-segments.ts reads. It exits only at the end of the output, so that it records what a command prints
# after SIGTERM. It empties the pipe even if the disk is full or cannot be written to.
#
# Arguments: the output folder, the bytes of a segment, the maximum number of segments.
#
# dd writes what one read(2) returned before it reads again: a line is on disk at once, and dd takes no byte from the pipe
# that it does not write. It reads `count` times, however little each read returns, so it is run until the segment is full,
# that is, until less than an eighth is left: to fill the rest, a slow stream would need a dd for each read. Only a dd that
# read nothing means the end of the output. A failed dd counts as one whole lost block, so that the gap is visible; a dd
# that reported nothing did not read, so `discard_block` must. On a full disk a fast stream is retried once a second, a
# slow one with each line. Without dd, bash reads by itself, slowly.

exec >/dev/null 2>&1
trap '' HUP INT QUIT TERM USR1 USR2 XFSZ
umask 077
set -C
export LC_ALL=C
folder=$1 segment_bytes=$2 max_segments=$3 offset=0
block=$((segment_bytes < 131072 ? (segment_bytes + 7) / 8 : 16384))

remove_old_segments() {
  local files=("$folder"/[0-9]*)
  while ((${#files[@]} >= max_segments && ${#files[@]} > 1)); do
    rm -f "${files[1]}"
    files=("${files[0]}" "${files[@]:2}")
  done
}

discard_block() {
  local lost
  lost=$(dd bs=65536 count=1 | wc -c)
  ((lost > 0)) && offset=$((offset + lost)) && return
  IFS= read -r -N 65536 lost || exit 0
  offset=$((offset + ${#lost}))
}

record() {
  local report
  while (((segment_bytes - size) * 8 >= segment_bytes)); do
    report=$(dd bs=$block count=$(((segment_bytes - size) / block)) 2>&1 >>"$file") || failed=yes
    size=$(wc -c <"$file") || failed=yes
    [[ $report == *'records in'* ]] || discard_block
    [[ $report == '0+0 records in'* ]] && ended=yes
    [[ $ended$failed ]] && return
  done
}

mkdir -p "$folder"
while remove_old_segments; printf -v file %s/%015d "$folder" $offset; do
  size=0 failed='' ended=''
  if ! printf '' >"$file"; then discard_block; continue; fi
  record
  ((size > 0)) || rm -f "$file"
  [[ $ended ]] && exit 0
  offset=$((offset + size))
  [[ $failed ]] || continue
  offset=$((offset + block)) now=$SECONDS
  while ((SECONDS == now)) && read -t 0; do discard_block; done
done
