// How this program was started, and the runtime it runs on.

import { realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

import { shellWord } from '../lib/shell-word.js'
import { bunVersion } from '../platform/bun.js'
import { executableEntry } from '../platform/program.js'
import type { Launch } from './connect.js'

export function launch(): Launch {
  const script = process.argv[1]
  const isExecutable = script === undefined || executableEntry() !== undefined
  return { command: process.execPath, args: isExecutable ? [] : [script] }
}

export function runtime(): string {
  const bun = bunVersion()
  const name = bun === undefined ? `Node.js ${process.version}` : `Bun ${bun} (Node.js ${process.version})`
  return executableEntry() === undefined ? name : `${name}, all in one executable`
}

/** The command that starts this program again: its name if that is on PATH, otherwise the full command line. */
export function typedName(path: string | undefined, { command, args }: Launch = launch()): string {
  const program = args[0] ?? command
  if (/[\\/]_npx[\\/]/.test(program)) return 'npx scorpiox-code'
  const directories = path?.split(delimiter).filter(Boolean) ?? []
  const isOnPath = directories.some((directory) => isSameFile(join(directory, 'scorpiox-code'), program))
  return isOnPath ? 'scorpiox-code' : [command, ...args].map(shellWord).join(' ')
}

function isSameFile(first: string, second: string): boolean {
  try {
    return realpathSync(first) === realpathSync(second)
  } catch {
    return false
  }
}
