// What this program is on the disk: a file among its parts, or one executable that has them all within. Whoever needs a
// part asks for it by its path, which Bun understands in both.

import { dirname } from 'node:path'

export interface Program {
  /** Where it lies; settings may lie beside it. */
  readonly programDir: string
  /** Where its parts are. */
  readonly partsDir: string
  /** What no command may change: the folder with its files, or the executable. */
  readonly ownCode: string
}

/** Bun shows what an executable has within as files of a disk that is not there. */
const WITHIN = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/i

/** Of the program whose files lie in this folder, if they lie anywhere. */
export function programIn(folder: string): Program {
  const within = executableEntry()
  if (within === undefined) return { programDir: folder, partsDir: folder, ownCode: folder }
  return { programDir: dirname(process.execPath), partsDir: dirname(within), ownCode: process.execPath }
}

/** What the executable began with, within itself; undefined where the program is no executable. */
export function executableEntry(): string | undefined {
  const [, script = ''] = process.argv
  return WITHIN.test(script) ? script : undefined
}
