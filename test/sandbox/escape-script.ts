// Turns escape attempts into one bash script, and reads its output; compares snapshots. Used by the tests that try the
// attempts: in a sandbox of the test, and in those of the built program.

import { execFileSync } from 'node:child_process'

import type { Attempt } from './escape-corpus.js'
import { PYTHON } from './sandbox-project.js'

/** All of them one after the other, each with its name before its output. */
export function scriptOf(attempts: readonly Attempt[], work: string): string {
  const parts = attempts.map(({ name, how }, at) => {
    const text = quote(how)
    return `echo; echo '<<< ${name}'; mkdir -p '${work}/${at}'; cd '${work}/${at}'; MARK=${at} timeout 5 bash -c ${text} 2>&1 </dev/null`
  })
  return [PRELUDE, ...parts].join('\n')
}

/** The variables of the attempts. */
const PRELUDE = String.raw`
escaped() { echo ESCAPED; }
py() { "$PYTHON" -I -S -c 'import ctypes, mmap, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
out, home = os.environ["OUT"].encode(), os.environ["HOME"].encode()
def call(n, *a):
    ctypes.set_errno(0)
    return libc.syscall(ctypes.c_long(n), *[ctypes.c_long(x) if isinstance(x, int) else x for x in a])
def escaped(yes): print("ESCAPED" if yes else "held, errno %d" % ctypes.get_errno())
'"$1" "$WHERE"; }
export -f escaped py
`

export function splitOutput(output: string): [string, string][] {
  return output
    .split('\n<<< ')
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)])
}

export function differences(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...one.keys(), ...other.keys()])
  return [...paths]
    .filter((path) => one.get(path) !== other.get(path))
    .map((path) => `${path}: ${one.get(path)} → ${other.get(path)}`)
}

export function isThere(program: string): boolean {
  if (program === 'py') return PYTHON !== undefined
  try {
    execFileSync('bash', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
