// Finds the shell that runs commands, outside of the project.

import { realpathSync, statSync } from 'node:fs'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../config/load-config.js'
import { findProjectRoot } from '../config/project-root.js'
import { isInsideDirectory } from '../util/path-containment.js'
import { describeMissingShell, findShellProgram, type ShellProgram } from './shell-program.js'
import { containsSystemFolders } from './trusted-program.js'

/** Throws a Failure that says what to install. */
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
