// Tries to get out, once, before anybody else does: a script of escapes that runs in the sandbox like any command, each
// of which must fail. What it prints is read strictly: an escape that was not tried counts as one that worked.

import type { CageLevel } from './level.js'

export interface Trial {
  readonly bash: string
  /** What a bash runs before every command. */
  readonly prelude: string
  readonly level: CageLevel
  /** A file commands must not be able to read, and what stands in it. */
  readonly secretFile: string
  readonly secret: string
  /** Folders in which no command may create anything. */
  readonly closed: readonly string[]
  /** The namespaces of this process, such as `pid:[4026531836]`. */
  readonly namespaces: readonly string[]
}

/** The program to run in the sandbox. */
export function selfTest({ bash, prelude, level, secretFile, secret, closed, namespaces }: Trial): readonly string[] {
  return [bash, '-c', `${prelude}\n${SCRIPT}`, 'bash', level, secretFile, secret, namespaces.join(' '), ...closed]
}

/** The escapes that worked. */
export function escaped(output: string): readonly string[] {
  const lines = new Set(output.split('\n'))
  return Object.keys(TRIES).filter((name) => !lines.has(`held: ${name}`))
}

/** For each escape, words that are true if it fails. POSIX, and nothing but what every small system has. */
const TRIES: Readonly<Record<string, string>> = {
  'writing outside':
    'for d in "$@"; do ! true >"$d/.scorpiox-probe" || { rm "$d/.scorpiox-probe"; false; } || exit; done',
  'reading a secret': '[ "$(cat "$secret_file")" != "$secret" ]',
  'mounting anew': '! mount -o remount,bind,rw / && ! mount -o remount,rw / && ! mount -t tmpfs none /tmp',
  'another root': '! chroot / true',
  'a user namespace': '! unshare -U true && ! unshare -r true',
  'namespaces of the host': 'for s in $spaces; do [ "$(readlink "/proc/self/ns/${s%%:*}")" != "$s" ] || exit; done',
  'processes of the host': 'set -- /proc/[0-9]*; [ $# -le 8 ]',
  capabilities: '! grep "^Cap[A-Za-z]*:.*[1-9a-f]" /proc/self/status',
  'new privileges': 'grep "^NoNewPrivs:[[:space:]]*1" /proc/self/status',
  'system calls': 'grep "^Seccomp:[[:space:]]*2" /proc/self/status',
  'a set-uid file': 'true >/tmp/probe && chmod 755 /tmp/probe && ! chmod 4755 /tmp/probe',
  'settings of the kernel':
    '! true >>/proc/sys/kernel/core_pattern && ! true >>/proc/self/oom_score_adj && ! true >>/sys/probe',
  devices: '[ ! -e /dev/kmsg ] && [ ! -e /dev/mem ] && for f in /dev/*; do [ ! -b "$f" ] || exit; done',
  'sockets of the host': 'for f in /run/* /run/*/* /tmp/*; do [ ! -S "$f" ] || exit; done',
  'open files of the server': '[ "$(ls /proc/$$/fd | tr "\\n" " ")" = "0 1 2 " ]',
  'the network': '[ "$level" != strict ] || [ "$(wc -l </proc/net/route)" -le 1 ]',
}

export const ESCAPES = Object.keys(TRIES).length

const SCRIPT = [
  'level=$1 secret_file=$2 secret=$3 spaces=$4; shift 4',
  // Each in a shell of its own: `exit` leaves the try with its last status, and a failed redirection ends no more.
  ...Object.entries(TRIES).map(([name, words]) => `( ${words}\n) >/dev/null 2>&1 && echo 'held: ${name}'`),
].join('\n')
