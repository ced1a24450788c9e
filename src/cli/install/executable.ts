// The executable at its place, ~/.scorpiox/scorpiox-code: what it is made of here, whether it is there already, and how
// it gets there. Replaced in one step, so that no server that runs and no client that starts one finds half a file.

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

/** This program, as it runs. */
export interface Running {
  readonly platform: NodeJS.Platform
  readonly runtime: string
  /** Undefined where runtime and program are one file. */
  readonly script: string | undefined
  /** The folder of what may vanish. */
  readonly temporary: string
  /** What a program answers to `--version`. */
  readonly versionOf: (file: string) => Promise<string | undefined>
}

export interface Source {
  /** What is copied to the place; or what is written there; neither where a client has to start the runtime itself. */
  readonly file?: string
  readonly text?: string
  /** The script that has to be carried to safety before. */
  readonly carried?: string
  readonly launch: Launch
}

const PROGRAMS = 'program'

export function folderOf(home: string): string {
  if (home === '') throw new Failure('There is no home directory to install anything in; set HOME')
  // Clients start what they are told from anywhere.
  if (!isAbsolute(home)) throw new Failure(`HOME is ${JSON.stringify(home)}, which is not absolute; correct it`)
  return join(home, '.scorpiox')
}

/** What root puts there, the person could neither read nor replace. */
export function mustBeOwn(home: string): void {
  const owner = statSync(home, { throwIfNoEntry: false })?.uid
  if (process.geteuid?.() !== 0 || owner === undefined || owner === 0) return
  throw new Failure(`This runs as root, and ${home} belongs to another user; run it as that user, without sudo`)
}

export function placeOf(folder: string, platform: NodeJS.Platform): string {
  return join(folder, platform === 'win32' ? 'scorpiox-code.exe' : 'scorpiox-code')
}

export async function findSource(folder: string, running: Running): Promise<Source> {
  const { platform, runtime, script, temporary, versionOf } = running
  const place = placeOf(folder, platform)
  const launch = { command: place, args: [] }
  if (script === undefined) return { file: runtime, launch }
  const beside = join(dirname(script), basename(place))
  // What was built of another version, or for another machine, does not answer with ours.
  if (isNewer(beside, script) && (await versionOf(beside)) === VERSION) return { file: beside, launch }
  const isCarried = isPassing(script, temporary)
  const lasting = isCarried ? carriedPlace(join(folder, PROGRAMS), script) : script
  const carried = isCarried && !isFile(lasting) ? { carried: script } : {}
  if (platform === 'win32') return { ...carried, launch: { command: runtime, args: [lasting] } }
  return { ...carried, text: launcherScript(runtime, lasting), launch }
}

export type Presence = 'absent' | 'current' | 'ours' | 'foreign'

/** What is at the place now. `known` is the hash of what was put there last. */
export function presenceOf(place: string, source: Pick<Source, 'file' | 'text'>, known: string | undefined): Presence {
  const stat = lstatSync(place, { throwIfNoEntry: false })
  if (stat === undefined) return 'absent'
  if (stat.isDirectory()) throw new Failure(`${place} is a folder; move it away, and run this again`)
  if (!stat.isFile()) return 'foreign'
  if (source.file === place) return 'current'
  const hash = hashOf(readFileSync(place))
  if (source.text !== undefined && hash === hashOf(source.text)) return 'current'
  if (source.file !== undefined && hash === hashOf(readFileSync(source.file))) return 'current'
  const isOurs = hash === known || (stat.size < 10_000 && isLauncherScript(readFileSync(place, 'utf8')))
  return isOurs ? 'ours' : 'foreign'
}

export interface Put {
  /** The hash of what is at the place now; undefined where nothing belongs there. */
  readonly hash: string | undefined
  /** Where that was moved which was there and is not ours. */
  readonly kept: string | undefined
}

export function putExecutable(folder: string, place: string, source: Source, presence: Presence, now: Date): Put {
  ensurePrivateFolder(folder)
  try {
    if (source.carried !== undefined) carryProgram(join(folder, PROGRAMS), source.carried)
    if (source.file === undefined && source.text === undefined) return { hash: undefined, kept: undefined }
    const kept = presence === 'foreign' ? setAside(place, now) : undefined
    if (presence !== 'current') {
      if (source.text !== undefined) replaceFile(place, source.text, () => true, { mode: 0o755 })
      else if (source.file !== undefined) copyOver(source.file, place)
    }
    return { hash: hashOf(readFileSync(place)), kept }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${place} cannot be written (${reasonOf(error)})`, { cause: error })
  }
}

/** Gives what is left because it cannot be removed. */
export function removeExecutable(folder: string, place: string): readonly string[] {
  const left: string[] = []
  for (const path of [place, ...oldOnes(place), ...carriedOnes(join(folder, PROGRAMS))]) {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      left.push(path)
    }
  }
  // Somebody else may have put something there.
  quietly(() => rmdirSync(join(folder, PROGRAMS)))
  return left
}

export function hasPrograms(folder: string): boolean {
  return carriedOnes(join(folder, PROGRAMS)).length > 0
}

function copyOver(file: string, place: string): void {
  const beside = `${place}.${process.pid}.tmp`
  try {
    copyFileSync(file, beside)
    chmodSync(beside, 0o755)
    sync(beside)
    rename(beside, place)
    syncFolder(dirname(place))
  } finally {
    rmSync(beside, { force: true })
  }
}

/** Windows replaces no file that runs, but lets it be called something else. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EACCES', 'EBUSY')) throw error
    for (const old of oldOnes(to)) quietly(() => rmSync(old, { force: true }))
    renameSync(to, `${to}.${Date.now()}.old`)
    renameSync(from, to)
  }
}

function oldOnes(place: string): readonly string[] {
  const mine = (name: string): boolean =>
    name.startsWith(`${basename(place)}.`) && /^\.\d+\.old$/.test(name.slice(basename(place).length))
  try {
    return readdirSync(dirname(place))
      .filter(mine)
      .map((name) => join(dirname(place), name))
  } catch {
    return []
  }
}

function setAside(place: string, now: Date): string {
  const kept = `${place}.backup-${compactTime(now)}`
  renameSync(place, kept)
  return kept
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // It still runs, or holds something: the next one tries again.
  }
}

/** What was built before the script was is of an older one. */
function isNewer(executable: string, script: string): boolean {
  const [built, written] = [executable, script].map((path) => statSync(path, { throwIfNoEntry: false }))
  return built?.isFile() === true && built.mtimeMs >= (written?.mtimeMs ?? 0)
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
