// Finds programs that no command can have written: the shell, and what the sandbox is built with.

import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../config/load-config.js'
import { findProjectRoot } from '../config/project-root.js'
import { isInsideDirectory } from '../util/path-containment.js'
import { describeMissingShell, findShellProgram, type ShellProgram } from './shell-program.js'

/**
 * Whether a folder contains the system itself, as the root directory does, in which some clients start their servers.
 * That a program is inside such a folder says nothing about its origin.
 */
export function containsSystemFolders(folder: string): boolean {
  if (dirname(folder) === folder) return true
  try {
    return isInsideDirectory(realpathSync('/bin/sh'), folder)
  } catch {
    return false
  }
}

/**
 * Finds a program that the sandbox is built with. A command that could replace it could escape: only absolute folders of
 * PATH are searched, and none that commands can write to.
 */
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

/** Finds the shell that runs commands, outside of the project. Throws a Failure that says what to install. */
export function findTrustedShell(
  { settings, cwd }: Pick<Config, 'settings' | 'cwd'>,
  env: NodeJS.ProcessEnv,
): ShellProgram {
  const { SHELL_PATH: preferred } = settings
  // A shell inside the project may have been written by a command, and it would run outside the sandbox.
  const project = findProjectRoot(cwd)
  const isInsideProject = (path: string): boolean =>
    !containsSystemFolders(project) && isInsideDirectory(realpathSync(path), project)
  const isTrusted = (path: string): boolean => isRegularFile(path) && !isInsideProject(path)
  const program = findShellProgram({ platform: process.platform, env, isFile: isTrusted }, preferred)
  if (!program) throw new Failure(`The command was not started: ${describeMissingShell(process.platform, preferred)}`)
  return program
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
