// Finds the programs the sandbox is built with. Whoever could put another program in the place of one of them would be
// out: they are looked for in absolute folders only, and never in one that commands can write to.

import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

import { isWithin } from '../../lib/is-within.js'

export function findProgram(name: string, env: NodeJS.ProcessEnv, writable: readonly string[]): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return folders
    .flatMap((folder) => program(join(folder, name)))
    .find((path) => !writable.some((root) => isWithin(path, root)))
}

function program(path: string): readonly string[] {
  try {
    accessSync(path, constants.X_OK)
    return [realpathSync.native(path)]
  } catch {
    return []
  }
}
