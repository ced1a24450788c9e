// Finds the programs the sandbox is built with. A command that could replace one of them could escape: only absolute
// folders of PATH are searched, and none that commands can write to.

import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

import { isWithin } from '../../lib/is-within.js'

export function findProgram(
  name: string,
  env: NodeJS.ProcessEnv,
  writableRoots: readonly string[],
): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return folders
    .flatMap((folder) => resolveExecutable(join(folder, name)))
    .find((path) => !writableRoots.some((root) => isWithin(path, root)))
}

function resolveExecutable(path: string): readonly string[] {
  try {
    accessSync(path, constants.X_OK)
    return [realpathSync.native(path)]
  } catch {
    return []
  }
}
