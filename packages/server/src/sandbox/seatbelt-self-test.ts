// The self-test of the sandbox of macOS: builds a script of escape attempts that seatbelt.ts runs like any command; each
// attempt must fail. The output is parsed strictly: an attempt that was not made counts as successful, except where macOS
// has no perl or nc. Pure: text only.

import type { ActiveSandboxLevel } from './sandbox-level.js'
import type { TestTargets } from './seatbelt-files.js'

interface SeatbeltTestOptions extends Omit<TestTargets, 'hidden'> {
  readonly bash: string
  readonly level: ActiveSandboxLevel
  readonly project: string
  /** Folders in which no command may create anything. */
  readonly unwritable: readonly string[]
}

/** The program to run in the sandbox. */
export function buildSeatbeltTest(options: SeatbeltTestOptions): readonly string[] {
  const { bash, level, secret, secretFile, hiddenFile, protectedFile, socket, project, unwritable } = options
  const files = [secretFile, hiddenFile, protectedFile, socket, project]
  return [bash, '-c', TEST_SCRIPT, 'bash', level, secret, ...files, ...unwritable]
}

/** The escapes that succeeded. */
export function findSuccessfulSeatbeltEscapes(output: string): readonly string[] {
  const lines = new Set(output.split('\n'))
  return Object.keys(ESCAPE_CHECKS).filter((name) => !lines.has(`held: ${name}`))
}

/** KERN_PROCARGS2 of the process that is the argument, by the system call __sysctl: the fact has no name. */
const READ_ARGUMENTS =
  '$b="\\0"x1048576;$n=pack("Q",length $b);exit(syscall(202,pack("i3",1,49,$ARGV[0]),3,$b,$n,0,0)==0?0:1)'

/** PROC_PIDTBSDINFO of the process that is the argument, by the system call __proc_info. */
const READ_STATE = '$b="\\0"x136;exit(syscall(336,2,$ARGV[0]+0,3,0,$b,136)>0?0:1)'

/** For each escape, shell code that succeeds if the escape fails. Runs in the bash 3.2 of macOS. */
const ESCAPE_CHECKS: Readonly<Record<string, string>> = {
  'writing outside':
    'for d in "$@"; do ! true >"$d/.scorpiox-probe" || { rm "$d/.scorpiox-probe"; false; } || exit; done',
  'reading a secret': '[ "$(cat "$secret_file")" != "$secret" ]',
  'reading a hidden file in a writable folder': '[ "$(cat "$hidden_file")" != "$secret" ]',
  // On a disk that tells letter cases apart, no file has this name.
  'reading a secret in another letter case':
    'for f in "$secret_file" "$hidden_file"; do [ "$(cat "$(printf %s "$f" | tr a-z A-Z)")" != "$secret" ] || exit; done',
  'reading a secret by the path of its volume':
    'for f in "$secret_file" "$hidden_file"; do [ "$(cat "/System/Volumes/Data$f")" != "$secret" ] || exit; done',
  'reading a secret by a hard link':
    'l=$TMPDIR/linked; for f in "$secret_file" "$hidden_file"; do ! ln "$f" "$l" || { [ "$(cat "$l")" != "$secret" ]; r=$?; rm "$l"; [ $r = 0 ]; } || exit; done',
  'reading a secret by a clone':
    'l=$TMPDIR/cloned; for f in "$secret_file" "$hidden_file"; do ! /bin/cp -c "$f" "$l" || { rm -f "$l"; false; } || exit; done',
  'changing a protected file': '! true >>"$protected_file"',
  'changing a protected file by a hard link': 'l=$TMPDIR/linked; ! ln "$protected_file" "$l" || { rm "$l"; false; }',
  'renaming a folder above a hidden file':
    'd=${hidden_file%/*}; ! mv "$d" "$d-moved" || { mv "$d-moved" "$d"; false; }',
  'creating a protected file in another spelling':
    'for n in .Mcp.JSON $\'.v\\xc5\\xbfcode\' $\'.mcp\\xe2\\x80\\x8c.json\'; do ! mkdir "$project/$n" || { rmdir "$project/$n"; false; } || exit; done',
  'another sandbox': "! /usr/bin/sandbox-exec -p '(version 1)(allow default)' /usr/bin/true",
  'signals to the server': '! kill -0 "$PPID"',
  'arguments of the server': `[ -z "$(/bin/ps -ww -o command= -p "$PPID")" ] && { [ ! -x /usr/bin/perl ] || ! /usr/bin/perl -e '${READ_ARGUMENTS}' "$PPID"; }`,
  'the state of the server': `[ ! -x /usr/bin/perl ] || ! /usr/bin/perl -e '${READ_STATE}' "$PPID"`,
  // Bash has 10 to 19 for itself.
  'open files of the server': 'for n in 3 4 5 6 7 8 9 {20..250}; do ! true <&$n || exit; done',
  'terminals of others': 'for t in /dev/ttys[0-9]*; do ! true <"$t" && ! true >"$t" || exit; done',
  'sockets of others': '[ ! -x /usr/bin/nc ] || [ "$(/usr/bin/nc -U -w 2 "$socket" </dev/null)" != "$secret" ]',
  'the keychain': '! /usr/bin/security dump-keychain "$HOME/Library/Keychains/login.keychain-db" | grep keychain:',
  // A job of launchd runs outside of the sandbox.
  'starting a service':
    'l="scorpiox.probe.$$"; /bin/launchctl submit -l "$l" -- /usr/bin/true; ! /bin/launchctl list "$l" | grep \'"Label"\' || { /bin/launchctl remove "$l"; false; }',
  // The Dock gives it to every program that it starts.
  'the environment of new programs':
    'n="SCORPIOX_PROBE_$$"; /bin/launchctl setenv "$n" 1; [ -z "$(/bin/launchctl getenv "$n")" ] || { /bin/launchctl unsetenv "$n"; false; }',
  // Without a sandbox a datagram socket connects even where nothing listens.
  'the network': '[ "$level" != strict ] || ! true >/dev/udp/127.0.0.1/9',
}

export const SEATBELT_ESCAPE_COUNT = Object.keys(ESCAPE_CHECKS).length

const TEST_SCRIPT = [
  'level=$1 secret=$2 secret_file=$3 hidden_file=$4 protected_file=$5 socket=$6 project=$7; shift 7',
  // Each in a subshell: `exit` ends only this attempt, and a failed redirection does not end the others.
  ...Object.entries(ESCAPE_CHECKS).map(([name, code]) => `( ${code}\n) >/dev/null 2>&1 && echo 'held: ${name}'`),
].join('\n')
