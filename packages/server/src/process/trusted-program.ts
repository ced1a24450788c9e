// Whether a folder contains the system itself, as the root directory does, in which some clients start their servers.
// That a program is inside such a folder says nothing about its origin.

import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'

import { isInsideDirectory } from '../util/path-containment.js'

export function containsSystemFolders(folder: string): boolean {
  if (dirname(folder) === folder) return true
  try {
    return isInsideDirectory(realpathSync('/bin/sh'), folder)
  } catch {
    return false
  }
}

// Finds the programs the sandbox is built with. A command that could replace one of them could escape: only absolute
// folders of PATH are searched, and none that commands can write to.

export function findTrustedProgram(
  name: string,
  env: NodeJS.ProcessEnv,
  writableRoots: readonly string[],
): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return folders
    .flatMap((folder) => resolveExecutable(join(folder, name)))
    .find((path) => !writableRoots.some((root) => isInsideDirectory(path, root)))
}

function resolveExecutable(path: string): readonly string[] {
  try {
    accessSync(path, constants.X_OK)
    return [realpathSync.native(path)]
  } catch {
    return []
  }
}
