// Finds programs that no command can have written (the shell, and what the sandbox is built with) and builds the
// environment for them. They run outside of the sandbox. Used by the shell, callbacks, permissions, the sandbox,
// `doctor` and `ui`. Reads the file system only.

import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../config/load-config.js'
import { listWritableRoots, type WritableRoots } from '../config/writable-roots.js'
import { describeMissingShell, findShellProgram, type ShellProgram } from './shell-program.js'

/**
 * Finds a program that runs outside of the sandbox, by its real path. A command that could replace it could escape: only
 * absolute folders of PATH are searched, and none that commands can write to.
 */
export function findTrustedProgram(
  name: string,
  env: NodeJS.ProcessEnv,
  writableRoots: WritableRoots,
): string | undefined {
  return listTrustedFolders(env, writableRoots)
    .map((folder) => join(folder, name))
    .filter((path) => !writableRoots.contains(path))
    .flatMap(resolveExecutable)[0]
}

function listTrustedFolders({ PATH: path = '' }: NodeJS.ProcessEnv, writableRoots: WritableRoots): readonly string[] {
  return path.split(delimiter).filter((folder) => isAbsolute(folder) && !writableRoots.contains(folder))
}

/** The environment of a program that runs outside of the sandbox and starts others by their names. */
export function createTrustedEnvironment(env: NodeJS.ProcessEnv, writableRoots: WritableRoots): NodeJS.ProcessEnv {
  const { BASH_ENV: startFile, ...rest } = removeUntrustedLibraries(env, writableRoots)
  const isTrustedFile = startFile !== undefined && isAbsolute(startFile) && !writableRoots.contains(startFile)
  const path = listTrustedFolders(env, writableRoots).join(delimiter)
  return { ...rest, ...(isTrustedFile && { BASH_ENV: startFile }), ...(env.PATH !== undefined && { PATH: path }) }
}

/** Lists of libraries, or of folders with libraries, that the dynamic linker loads into every program. */
const LIBRARY_VARIABLES = ['LD_LIBRARY_PATH', 'LD_PRELOAD', 'LD_AUDIT', 'GCONV_PATH']

/**
 * Without the libraries that a command can have written. A relative or empty entry is in the working directory of the
 * program, which is the project.
 */
export function removeUntrustedLibraries(env: NodeJS.ProcessEnv, writableRoots: WritableRoots): NodeJS.ProcessEnv {
  const changed = LIBRARY_VARIABLES.flatMap((name): [string, string][] => {
    const value = env[name] ?? ''
    const entries = value === '' ? [] : value.split(/[:;\s]/)
    const trusted = entries.filter((entry) => isAbsolute(entry) && !writableRoots.contains(entry))
    return trusted.length === entries.length ? [] : [[name, trusted.join(':')]]
  })
  return changed.length === 0 ? env : { ...env, ...Object.fromEntries(changed) }
}

/** The same variables as they were. */
export function pickLibraryVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(LIBRARY_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}

function resolveExecutable(path: string): readonly string[] {
  try {
    accessSync(path, constants.X_OK)
    return [realpathSync.native(path)]
  } catch {
    return []
  }
}

/** Finds the shell that runs commands, where no command can write. Throws a Failure that says what to do. */
export function findTrustedShell(config: Config, env: NodeJS.ProcessEnv): ShellProgram {
  const { SHELL_PATH: preferred } = config.settings
  // It also runs outside of the sandbox, as the supervisor of the commands.
  const writableRoots = listWritableRoots(config)
  const isTrusted = (path: string): boolean => isRegularFile(path) && !writableRoots.contains(path)
  const program = findShellProgram({ platform: process.platform, env, isFile: isTrusted }, preferred)
  if (program) return program
  const refused = findShellProgram({ platform: process.platform, env, isFile: isRegularFile }, preferred)
  if (refused === undefined)
    throw new Failure(`The command was not started: ${describeMissingShell(process.platform, preferred)}`)
  throw new Failure(
    `The command was not started: the shell ${refused.file} is in a folder that commands can write to, ` +
      'so it may have been replaced. Set SHELL_PATH to one outside of the project and of SANDBOX_WRITE.',
  )
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
