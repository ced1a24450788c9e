// Scans the script directory: candidate files with a fingerprint that changes with the file, and files that look like
// scripts but cannot be used. Files and directories that other users own or may change are rejected. Used by script-index
// at every refresh. Reads names and file attributes only; nothing is run.

import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

import { errorMessage } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { toSingleLine } from '../../text/format.js'

export interface ScriptScan {
  /** Why the directory cannot be used; undefined if it can. */
  readonly problem: string | undefined
  /** Sorted by name. */
  readonly files: readonly ScannedFile[]
}

export type ScannedFile = { readonly file: string; readonly path: string; readonly fingerprint: string } | SkippedScript

export interface SkippedScript {
  readonly file: string
  /** A sentence without its subject, with what to do. */
  readonly reason: string
}

/** Maximum number of files inspected. */
const MAX_FILES = 1000
const MAX_NAME = 255
const SCRIPT_EXTENSIONS = new Set(['.sh', '.bash', '.py', '.js', '.mjs', '.cjs', '.ts', '.rb', '.pl', '.php', '.lua'])
const EXECUTE_BITS = 0o111
const WORLD_WRITE_BIT = 0o002
const ROOT = 0

export function scanScriptDirectory(directory: string): ScriptScan {
  try {
    const realDirectory = realpathSync(directory)
    const distrust = findDistrust(statSync(realDirectory), directory)
    if (distrust !== undefined) return { problem: `${directory} ${distrust}`, files: [] }
    const entries = readdirSync(realDirectory, { withFileTypes: true }).filter(({ name }) => !/^[._]/.test(name))
    const first = entries.toSorted(compareNames).slice(0, MAX_FILES)
    return { problem: undefined, files: first.flatMap((entry) => inspectEntry(realDirectory, entry) ?? []) }
  } catch (error) {
    return { problem: `${directory} ${describeReadError(error)}`, files: [] }
  }
}

/** Independent of the locale: of two scripts with one tool name the first keeps it. */
function compareNames(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1
}

function describeReadError(error: unknown): string {
  if (hasErrorCode(error, 'ENOENT')) return 'does not exist: create it, or correct SCRIPT_TOOLS.'
  if (hasErrorCode(error, 'ENOTDIR')) return 'is not a folder: correct SCRIPT_TOOLS.'
  return `cannot be read (${errorMessage(error)}): let this user read it, or correct SCRIPT_TOOLS.`
}

/** Undefined for files that do not look like scripts. */
function inspectEntry(directory: string, entry: Dirent): ScannedFile | undefined {
  const path = join(directory, entry.name)
  // A name may contain line breaks and other control characters.
  const file = toSingleLine(entry.name, MAX_NAME)
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return undefined
    if (entry.isSymbolicLink() && dirname(realpathSync(path)) !== directory) {
      return { file, reason: 'is a link that leads out of the folder: copy it there, or write a script that runs it.' }
    }
    const isExecutable = (stat.mode & EXECUTE_BITS) !== 0
    const distrust = isExecutable ? findDistrust(stat, path) : undefined
    if (distrust !== undefined) return { file, reason: distrust }
    if (isExecutable) return { file, path, fingerprint: fingerprintOf(stat) }
    return SCRIPT_EXTENSIONS.has(extname(file)) ? { file, reason: `is not executable: chmod +x ${path}` } : undefined
  } catch (error) {
    // It was deleted meanwhile, or its name is not valid UTF-8.
    if (hasErrorCode(error, 'ENOENT')) return undefined
    return { file, reason: `cannot be inspected (${errorMessage(error)}).` }
  }
}

/** Why a file or directory could contain what another user wrote; undefined if it cannot. */
function findDistrust({ mode, uid }: Stats, path: string): string | undefined {
  const own = process.geteuid?.()
  // Windows has no such owners and permission bits.
  if (own === undefined) return undefined
  if ((mode & WORLD_WRITE_BIT) !== 0) {
    return `can be changed by every user of this machine, so it is not run: chmod o-w ${path}`
  }
  if (uid === own || uid === ROOT) return undefined
  return `belongs to another user (uid ${uid}), so it is not run: copy it, or chown ${own} ${path} if its content can be trusted.`
}

function fingerprintOf({ dev, ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mode, mtimeMs, ctimeMs].join(':')
}
