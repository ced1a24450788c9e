// Where the files of this program are: a folder, or inside a single executable. Lazily loaded files are addressed by
// path, which Bun understands in both cases. Used by all code that starts workers or reads bundled files. Reads nothing.

import { dirname } from 'node:path'

interface ProgramFiles {
  /** The folder of the program; settings may be beside it. */
  readonly programDir: string
  /** The folder of its lazily loaded files. */
  readonly partsDir: string
  /** What no command may change: the folder with its files, or the executable. */
  readonly ownCode: string
}

/** Keep Bun from obeying the .env and the bunfig.toml of the folder that it is started in. */
export const BUN_FLAGS = ['--no-env-file', '--config=/dev/null'] as const

/** Bun shows the files inside an executable as files of a virtual disk. */
const BUN_VIRTUAL_PATH = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/i

/** `folder` is where the files of the program are, if it is not a single executable. */
export function locateProgramFiles(folder: string): ProgramFiles {
  const entry = findExecutableEntry()
  if (entry === undefined) return { programDir: folder, partsDir: folder, ownCode: folder }
  return { programDir: dirname(process.execPath), partsDir: dirname(entry), ownCode: process.execPath }
}

/** The entry script inside the executable; undefined if the program is not a single executable. */
export function findExecutableEntry(): string | undefined {
  const [, script = ''] = process.argv
  return BUN_VIRTUAL_PATH.test(script) ? script : undefined
}
