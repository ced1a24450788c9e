// Finds programs that no command can have written (the shell, and what the sandbox is built with) and builds the
// environment for them. They run outside of the sandbox. Used by the shell, callbacks, permissions, the sandbox,
// `doctor` and `ui`. Reads the file system; on Windows, runs a program called bash.exe once to see what it is.

import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, posix, win32 } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../config/load-config.js'
import { listWritableRoots, type WritableRoots } from '../config/writable-roots.js'
import { findVariableName, readVariable } from './environment-variable.js'
import { MAC_LIBRARY_VARIABLES } from './mac-library-variables.js'
import { BASH_PROBE, describeMissingShell, findShellProgram, isBashAnswer, type ShellProgram } from './shell-program.js'
import { readProbeOutput } from './spawn.js'

/**
 * Finds a program that runs outside of the sandbox, by its real path. A command that could replace it could escape: only
 * absolute folders of PATH are searched, and none that commands can write to.
 */
export function findTrustedProgram(
  name: string,
  env: NodeJS.ProcessEnv,
  writableRoots: WritableRoots,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  // Node.js starts no batch files without a shell.
  const fileName = platform === 'win32' && !/\.(exe|com)$/i.test(name) ? `${name}.exe` : name
  return listTrustedFolders(env, writableRoots, platform)
    .map((folder) => join(folder, fileName))
    .filter((path) => !writableRoots.contains(path))
    .flatMap(resolveExecutable)[0]
}

function listTrustedFolders(
  env: NodeJS.ProcessEnv,
  writableRoots: WritableRoots,
  platform: NodeJS.Platform,
): readonly string[] {
  const path = readVariable(env, 'PATH', platform) ?? ''
  return path.split(delimiterOf(platform)).filter((folder) => isAbsolute(folder) && !writableRoots.contains(folder))
}

function delimiterOf(platform: NodeJS.Platform): string {
  return platform === 'win32' ? win32.delimiter : posix.delimiter
}

/** The environment of a program that runs outside of the sandbox and starts others by their names. */
export function createTrustedEnvironment(
  env: NodeJS.ProcessEnv,
  writableRoots: WritableRoots,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const { BASH_ENV: startFile, ...rest } = removeUntrustedLibraries(env, writableRoots)
  const isTrustedFile = startFile !== undefined && isAbsolute(startFile) && !writableRoots.contains(startFile)
  const path = listTrustedFolders(env, writableRoots, platform).join(delimiterOf(platform))
  const pathName = findVariableName(env, 'PATH', platform)
  return { ...rest, ...(isTrustedFile && { BASH_ENV: startFile }), ...(pathName in env && { [pathName]: path }) }
}

/** Lists of libraries, or of folders with libraries, that the dynamic linker loads into every program. */
const LIBRARY_VARIABLES = ['LD_LIBRARY_PATH', 'LD_PRELOAD', 'LD_AUDIT', 'GCONV_PATH', ...MAC_LIBRARY_VARIABLES]

/**
 * Without the libraries that a command can have written. A relative or empty entry is in the working directory of the
 * program, which is the project.
 */
export function removeUntrustedLibraries(env: NodeJS.ProcessEnv, writableRoots: WritableRoots): NodeJS.ProcessEnv {
  const changed = LIBRARY_VARIABLES.flatMap((name): [string, string][] => {
    const value = env[name] ?? ''
    const entries = value === '' ? [] : value.split(name.startsWith('DYLD_') ? ':' : /[:;\s]/)
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
export function findTrustedShell(
  config: Config,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ShellProgram {
  const { SHELL_PATH: preferred } = config.settings
  // It also runs outside of the sandbox, as the supervisor of the commands.
  const writableRoots = listWritableRoots(config)
  const isTrusted = (path: string): boolean => isRegularFile(path) && !writableRoots.contains(path)
  const isBash = (path: string): boolean => isProbedBash(path, env)
  const program = findShellProgram({ platform, env, isFile: isTrusted, isBash }, preferred)
  if (program) return program
  // One that a command can have written is not run, and so not asked what it is.
  const isPossibleBash = (path: string): boolean => writableRoots.contains(path) || isBash(path)
  const refused = findShellProgram({ platform, env, isFile: isRegularFile, isBash: isPossibleBash }, preferred)
  if (refused === undefined)
    throw new Failure(`The command was not started: ${describeMissingShell(platform, preferred)}`)
  throw new Failure(
    `The command was not started: the shell ${refused.file} is in a folder that commands can write to, ` +
      'so a command may have replaced it. Set SHELL_PATH to a shell outside the project and SANDBOX_WRITE.',
  )
}

const probedShells = new Map<string, boolean>()

function isProbedBash(path: string, env: NodeJS.ProcessEnv): boolean {
  const known = probedShells.get(path)
  if (known !== undefined) return known
  const isBash = isBashAnswer(readProbeOutput(path, BASH_PROBE, env))
  probedShells.set(path, isBash)
  return isBash
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
