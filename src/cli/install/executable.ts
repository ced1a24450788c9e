// The installed program, ~/.scorpiox/scorpiox-code: finds its source, compares, writes and removes it. The file is replaced
// by a rename, so that a client never starts an incomplete one.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
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

import { compactTime } from '../../lib/compact-time.js'
import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { VERSION } from '../../lib/version.js'
import { replaceFile, syncFolder } from '../../store/atomic-file.js'
import { ensurePrivateFolder } from '../../store/private-folder.js'
import type { Launch } from '../connect.js'
import { carriedOnes, carriedPlace, carryProgram, isPassing } from './carried-program.js'
import { isLauncherScript, launcherScript } from './launcher-script.js'

/** The program that is running. */
export interface Running {
  readonly platform: NodeJS.Platform
  readonly runtime: string
  /** Undefined if runtime and program are one file. */
  readonly script: string | undefined
  /** The system directory for temporary files. */
  readonly temporary: string
  /** Output of `--version` of a program. */
  readonly versionOf: (file: string) => Promise<string | undefined>
}

export interface Source {
  /** The file to copy, or the text to write; neither if clients must start the runtime themselves. */
  readonly file?: string
  readonly text?: string
  /** The script to copy first, because its directory is temporary. */
  readonly carried?: string
  readonly launch: Launch
}

const PROGRAMS_DIRECTORY = 'program'

export function folderOf(home: string): string {
  if (home === '') throw new Failure('There is no home directory to install into; set HOME')
  // Clients start the program from any directory.
  if (!isAbsolute(home)) throw new Failure(`HOME is ${JSON.stringify(home)}, which is not an absolute path; correct it`)
  return join(home, '.scorpiox')
}

/** Files that root creates could not be read or replaced by the owner of the home directory. */
export function mustBeOwn(home: string): void {
  const owner = statSync(home, { throwIfNoEntry: false })?.uid
  if (process.geteuid?.() !== 0 || owner === undefined || owner === 0) return
  throw new Failure(`This runs as root, and ${home} belongs to another user; run it as that user, without sudo`)
}

export function placeOf(directory: string, platform: NodeJS.Platform): string {
  return join(directory, platform === 'win32' ? 'scorpiox-code.exe' : 'scorpiox-code')
}

export async function findSource(directory: string, running: Running): Promise<Source> {
  const { platform, runtime, script, temporary, versionOf } = running
  const path = placeOf(directory, platform)
  const launch = { command: path, args: [] }
  if (script === undefined) return { file: runtime, launch }
  const siblingPath = join(dirname(script), basename(path))
  // An executable of another version or for another machine prints a different version or does not run.
  if (isBuiltAfter(siblingPath, script) && (await versionOf(siblingPath)) === VERSION)
    return { file: siblingPath, launch }
  const isTemporary = isPassing(script, temporary)
  const permanentScript = isTemporary ? carriedPlace(join(directory, PROGRAMS_DIRECTORY), script) : script
  const copyNeeded = isTemporary && !isFile(permanentScript) ? { carried: script } : {}
  if (platform === 'win32') return { ...copyNeeded, launch: { command: runtime, args: [permanentScript] } }
  return { ...copyNeeded, text: launcherScript(runtime, permanentScript), launch }
}

export type Presence = 'absent' | 'current' | 'outdated' | 'other-file'

/** Compares the file at `place` with the source. `known` is the hash of the file that was installed last. */
export function presenceOf(
  path: string,
  source: Pick<Source, 'file' | 'text'>,
  knownHash: string | undefined,
): Presence {
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

export interface Put {
  /** Hash of the installed file; undefined if this platform has none. */
  readonly hash: string | undefined
  /** New path of a file of another program that was in the way. */
  readonly kept: string | undefined
}

export function putExecutable(directory: string, path: string, source: Source, installed: Presence, now: Date): Put {
  ensurePrivateFolder(directory)
  try {
    if (source.carried !== undefined) carryProgram(join(directory, PROGRAMS_DIRECTORY), source.carried)
    if (source.file === undefined && source.text === undefined) return { hash: undefined, kept: undefined }
    const movedTo = installed === 'other-file' ? moveAside(path, now) : undefined
    if (installed !== 'current') {
      if (source.text !== undefined) replaceFile(path, source.text, () => true, { mode: 0o755 })
      else if (source.file !== undefined) copyReplacing(source.file, path)
    }
    return { hash: sha256(readFileSync(path)), kept: movedTo }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${path} cannot be written (${reasonOf(error)})`, { cause: error })
  }
}

/** Returns the paths that cannot be removed. */
export function removeExecutable(directory: string, path: string): readonly string[] {
  const remaining: string[] = []
  for (const each of [path, ...oldVersions(path), ...carriedOnes(join(directory, PROGRAMS_DIRECTORY))]) {
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

export function hasPrograms(directory: string): boolean {
  return carriedOnes(join(directory, PROGRAMS_DIRECTORY)).length > 0
}

function copyReplacing(file: string, path: string): void {
  const temporaryPath = `${path}.${process.pid}.tmp`
  try {
    copyFileSync(file, temporaryPath)
    chmodSync(temporaryPath, 0o755)
    syncFile(temporaryPath)
    rename(temporaryPath, path)
    syncFolder(dirname(path))
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}

/** Windows does not replace a running file, but allows renaming it. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EACCES', 'EBUSY')) throw error
    for (const old of oldVersions(to)) ignoreErrors(() => rmSync(old, { force: true }))
    renameSync(to, `${to}.${Date.now()}.old`)
    renameSync(from, to)
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
  const movedTo = `${path}.backup-${compactTime(now)}`
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
