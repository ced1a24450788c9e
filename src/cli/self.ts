// This program as others see it: how to start it again, and what it runs on.

import { realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

import { shellWord } from '../lib/shell-word.js'
import { bunVersion } from '../platform/bun.js'
import { executableEntry } from '../platform/program.js'
import type { Launch } from './connect.js'

export function launch(): Launch {
  const script = process.argv[1]
  const isAlone = script === undefined || executableEntry() !== undefined
  return { command: process.execPath, args: isAlone ? [] : [script] }
}

export function runtime(): string {
  const bun = bunVersion()
  const name = bun === undefined ? `Node.js ${process.version}` : `Bun ${bun} (Node.js ${process.version})`
  return executableEntry() === undefined ? name : `${name}, all in one executable`
}

/** What a person types to start this program again: its name where that is found, else the whole way to it. */
export function typedName(path: string | undefined, { command, args }: Launch = launch()): string {
  const program = args[0] ?? command
  if (/[\\/]_npx[\\/]/.test(program)) return 'npx scorpiox-code'
  const folders = path?.split(delimiter).filter(Boolean) ?? []
  const isFound = folders.some((folder) => isSameFile(join(folder, 'scorpiox-code'), program))
  return isFound ? 'scorpiox-code' : [command, ...args].map(shellWord).join(' ')
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return false
  }
}
