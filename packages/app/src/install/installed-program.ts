// The installed program, ~/.scorpiox/scorpiox-code: finds its source, compares, writes and removes it. The file is
// replaced by a rename, so that a client never starts an incomplete one. Used by install, uninstall and doctor.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { fsyncFolder, renameOver, replaceFile } from '@scorpiox/mcp/atomic-file'
import { quoteShellWord } from '@scorpiox/server/process/shell-quote'
import { ensurePrivateFolder, timestampForFileName } from '@scorpiox/server/storage/private-files'
import { VERSION } from '@scorpiox/server/config/version'
import type { LaunchCommand } from '../program-info.js'
import { copyProgram, isTemporaryPath, listProgramCopies, programCopyPath } from './program-copy.js'

/** The program that is running. */
export interface RunningProgram {
  readonly platform: NodeJS.Platform
  readonly runtime: string
  /** What the runtime needs in order not to obey files of the project that it is started in. */
  readonly runtimeFlags?: readonly string[]
  /** Undefined if runtime and program are one file. */
  readonly script: string | undefined
  /** The system directory for temporary files. */
  readonly temporaryDirectory: string
  /** Output of `--version` of a program. */
  readonly versionOf: (file: string) => Promise<string | undefined>
}

export interface InstallSource {
  /** The file to copy, or the text to write; neither if clients must start the runtime themselves. */
  readonly file?: string
  readonly text?: string
  /** The script to copy first, because its directory is temporary. */
  readonly scriptToCopy?: string
  readonly launch: LaunchCommand
}

const PROGRAMS_DIRECTORY = 'program'

export function installDirectory(home: string): string {
  if (home === '') throw new Failure('There is no home directory to install into; set HOME')
  // Clients start the program from any directory.
  if (!isAbsolute(home)) throw new Failure(`HOME is ${JSON.stringify(home)}, which is not an absolute path; correct it`)
  return join(home, '.scorpiox')
}

/** Files that root creates could not be read or replaced by the owner of the home directory. */
export function requireOwnHome(home: string): void {
  const owner = statSync(home, { throwIfNoEntry: false })?.uid
  if (process.geteuid?.() !== 0 || owner === undefined || owner === 0) return
  throw new Failure(`This runs as root, and ${home} belongs to another user; run it as that user, without sudo`)
}

export function executablePath(directory: string, platform: NodeJS.Platform): string {
  return join(directory, platform === 'win32' ? 'scorpiox-code.exe' : 'scorpiox-code')
}

export async function findInstallSource(directory: string, running: RunningProgram): Promise<InstallSource> {
  const { platform, runtime, runtimeFlags = [], script, temporaryDirectory, versionOf } = running
  const path = executablePath(directory, platform)
  const launch = { command: path, args: [] }
  if (script === undefined) return { file: runtime, launch }
  const siblingPath = join(dirname(script), basename(path))
  // An executable of another version or for another machine prints a different version or does not run.
  if (isBuiltAfter(siblingPath, script) && (await versionOf(siblingPath)) === VERSION)
    return { file: siblingPath, launch }
  const isTemporary = isTemporaryPath(script, temporaryDirectory)
  const permanentScript = isTemporary ? programCopyPath(join(directory, PROGRAMS_DIRECTORY), script) : script
  const copyNeeded = isTemporary && !isFile(permanentScript) ? { scriptToCopy: script } : {}
  if (platform === 'win32') return { ...copyNeeded, launch: { command: runtime, args: [permanentScript] } }
  return { ...copyNeeded, text: formatLauncherScript(runtime, runtimeFlags, permanentScript), launch }
}

export type InstalledState = 'absent' | 'current' | 'outdated' | 'other-file'

/** Compares the file at `place` with the source. `known` is the hash of the file that was installed last. */
export function compareInstalled(
  path: string,
  source: Pick<InstallSource, 'file' | 'text'>,
  knownHash: string | undefined,
): InstalledState {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 'absent'
  if (stat.isDirectory()) throw new Failure(`${path} is a directory; move it and run this again`)
  if (!stat.isFile()) return 'other-file'
  if (source.file === path) return 'current'
  const hash = sha256(readFileSync(path))
  if (source.text !== undefined && hash === sha256(source.text)) return 'current'
  if (source.file !== undefined && hash === sha256(readFileSync(source.file))) return 'current'
  const isOwn = hash === knownHash || (stat.size < 10_000 && isLauncherScript(readFileSync(path, 'utf8')))
  return isOwn ? 'outdated' : 'other-file'
}

export interface WriteExecutableResult {
  /** Hash of the installed file; undefined if this platform has none. */
  readonly hash: string | undefined
  /** New path of a file of another program that was in the way. */
  readonly movedTo: string | undefined
}

export function writeExecutable(
  directory: string,
  path: string,
  source: InstallSource,
  installed: InstalledState,
  now: Date,
): WriteExecutableResult {
  ensurePrivateFolder(directory)
  try {
    if (source.scriptToCopy !== undefined) copyProgram(join(directory, PROGRAMS_DIRECTORY), source.scriptToCopy)
    if (source.file === undefined && source.text === undefined) return { hash: undefined, movedTo: undefined }
    const movedTo = installed === 'other-file' ? moveAside(path, now) : undefined
    if (installed !== 'current') {
      if (source.text !== undefined) replaceFile(path, source.text, () => true, { mode: 0o755 })
      else if (source.file !== undefined) copyReplacing(source.file, path)
    }
    return { hash: sha256(readFileSync(path)), movedTo }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${path} cannot be written (${errorMessage(error)})`, { cause: error })
  }
}

/** Returns the paths that cannot be removed. */
export function removeExecutable(directory: string, path: string): readonly string[] {
  const remaining: string[] = []
  for (const each of [path, ...oldVersions(path), ...listProgramCopies(join(directory, PROGRAMS_DIRECTORY))]) {
    try {
      rmSync(each, { recursive: true, force: true })
    } catch {
      remaining.push(each)
    }
  }
  // Fails if other files are in it.
  ignoreErrors(() => rmdirSync(join(directory, PROGRAMS_DIRECTORY)))
  return remaining
}

export function hasProgramCopies(directory: string): boolean {
  return listProgramCopies(join(directory, PROGRAMS_DIRECTORY)).length > 0
}

function copyReplacing(file: string, path: string): void {
  const temporaryPath = `${path}.${process.pid}.tmp`
  try {
    copyFileSync(file, temporaryPath)
    chmodSync(temporaryPath, 0o755)
    syncFile(temporaryPath)
    replaceProgram(temporaryPath, path)
    fsyncFolder(dirname(path))
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}

/** Windows does not replace a running file, but allows renaming it. A scanner may have the new file open. */
export function replaceProgram(from: string, to: string, rename = renameSync, platform = process.platform): void {
  try {
    rename(from, to)
  } catch (error) {
    if (!hasErrorCode(error, 'EPERM', 'EACCES', 'EBUSY')) throw error
    for (const old of oldVersions(to)) ignoreErrors(() => rmSync(old, { force: true }))
    const old = existsSync(to) ? `${to}.${Date.now()}.old` : undefined
    if (old !== undefined) rename(to, old)
    try {
      renameOver(from, to, rename, platform)
    } catch (second) {
      // Clients start the program by this name.
      if (old !== undefined) ignoreErrors(() => rename(old, to))
      throw second
    }
  }
}

function oldVersions(path: string): readonly string[] {
  const isOldVersion = (name: string): boolean =>
    name.startsWith(`${basename(path)}.`) && /^\.\d+\.old$/.test(name.slice(basename(path).length))
  try {
    return readdirSync(dirname(path))
      .filter(isOldVersion)
      .map((name) => join(dirname(path), name))
  } catch {
    return []
  }
}

function moveAside(path: string, now: Date): string {
  const movedTo = `${path}.backup-${timestampForFileName(now)}`
  renameSync(path, movedTo)
  return movedTo
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    // Still running or not empty: the next attempt removes it.
  }
}

/** An executable older than the script was built from an earlier version. */
function isBuiltAfter(executable: string, script: string): boolean {
  const [built, written] = [executable, script].map((path) => statSync(path, { throwIfNoEntry: false }))
  return built?.isFile() === true && built.mtimeMs >= (written?.mtimeMs ?? 0)
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

const FIRST_LINES = '#!/bin/sh\n# Starts scorpiox-code. Written by `scorpiox-code install`, which overwrites it.\n'

/**
 * The shell script that is installed if the program is not a single executable. It starts the runtime with the program,
 * and says what to do if either is missing. Both paths are absolute. The flags are those of the runtime; the Node.js
 * that may take its place does not know them.
 */
function formatLauncherScript(runtime: string, flags: readonly string[], script: string): string {
  const hasFlags = flags.length > 0
  const flagsLines = hasFlags ? `[ -x "$runtime" ] && flags=${quoteShellWord(flags.join(' '))} || flags=\n` : ''
  const flagsVariable = hasFlags ? '$flags ' : ''
  return `${FIRST_LINES}runtime=${quoteShellWord(runtime)}
script=${quoteShellWord(script)}
${flagsLines}if [ ! -x "$runtime" ] && ! runtime=$(command -v node); then
  echo "scorpiox-code: Node.js was not found; install it, then run: npx scorpiox-code install" >&2
  exit 127
fi
if [ ! -f "$script" ]; then
  echo "scorpiox-code: $script does not exist; run: npx scorpiox-code install" >&2
  exit 127
fi
exec "$runtime" ${flagsVariable}"$script" "$@"
`
}

function isLauncherScript(text: string): boolean {
  return text.startsWith(FIRST_LINES)
}
