// The self-test of a sandbox: builds a script of escape attempts that sandbox.ts runs like any command; each attempt
// must fail. The output is parsed strictly: an attempt that was not made counts as successful. Pure: text only.

import type { ActiveSandboxLevel } from './sandbox-level.js'

interface SelfTestOptions {
  readonly bash: string
  /** Shell code that bash runs before every command. */
  readonly shellPrelude: string
  readonly level: ActiveSandboxLevel
  /** A file that commands must not be able to read, and its content. */
  readonly secretFile: string
  readonly secret: string
  /** Folders in which no command may create anything. */
  readonly unwritableFolders: readonly string[]
  /** The namespaces of this process, such as `pid:[4026531836]`. */
  readonly namespaces: readonly string[]
}

/** The program to run in the sandbox. */
export function buildSelfTestCommand({
  bash,
  shellPrelude,
  level,
  secretFile,
  secret,
  unwritableFolders,
  namespaces,
}: SelfTestOptions): readonly string[] {
  return [
    bash,
    '-c',
    `${shellPrelude}\n${SELF_TEST_SCRIPT}`,
    'bash',
    level,
    secretFile,
    secret,
    namespaces.join(' '),
    ...unwritableFolders,
  ]
}

/** The escapes that succeeded. */
export function findSuccessfulEscapes(output: string): readonly string[] {
  const lines = new Set(output.split('\n'))
  return Object.keys(ESCAPE_CHECKS).filter((name) => !lines.has(`held: ${name}`))
}

/**
 * For each escape, shell code that succeeds if the escape fails. POSIX, with nothing but what every small system has.
 */
const ESCAPE_CHECKS: Readonly<Record<string, string>> = {
  'writing outside':
    'for d in "$@"; do ! true >"$d/.scorpiox-probe" || { rm "$d/.scorpiox-probe"; false; } || exit; done',
  'reading a secret': '[ "$(cat "$secret_file")" != "$secret" ]',
  'mounting again': '! mount -o remount,bind,rw / && ! mount -o remount,rw / && ! mount -t tmpfs none /tmp',
  'changing the root': '! chroot / true',
  'creating a user namespace': '! unshare -U true && ! unshare -r true',
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

export const ESCAPE_COUNT = Object.keys(ESCAPE_CHECKS).length

const SELF_TEST_SCRIPT = [
  'level=$1 secret_file=$2 secret=$3 spaces=$4; shift 4',
  // Each in a subshell: `exit` ends only this attempt, with its last status, and a failed redirection does not end the
  // others.
  ...Object.entries(ESCAPE_CHECKS).map(([name, code]) => `( ${code}\n) >/dev/null 2>&1 && echo 'held: ${name}'`),
].join('\n')
