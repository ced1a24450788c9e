// Finds descriptors that this server inherited from its parent without close-on-exec. Node.js closes its own when it
// starts a program, but these would reach every command, and an open file is a way out of any sandbox.

import { readdirSync, readFileSync } from 'node:fs'

const CLOSE_ON_EXEC = 0o2000000
/** stdin, stdout and stderr. */
const FIRST_NON_STANDARD = 3

export function inheritedDescriptors(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor >= FIRST_NON_STANDARD && survivesExec(descriptor))
}

function survivesExec(descriptor: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    // The descriptor of the listing itself is closed by now.
    return false
  }
}
