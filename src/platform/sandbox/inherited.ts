// Descriptors that whoever started this server forgot to close. Node closes its own at every start of a program, but these
// would go on into every command, and through an open file there is a way out of any sandbox.

import { readdirSync, readFileSync } from 'node:fs'

const CLOSE_ON_EXEC = 0o2000000
/** Standard input, output and errors. */
const STANDARD = 3

export function inheritedDescriptors(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor >= STANDARD && survivesExec(descriptor))
}

function survivesExec(descriptor: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    // That of the listing itself is closed by now.
    return false
  }
}
