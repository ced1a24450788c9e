// Scans the script directory: candidate files with a fingerprint that changes with the file, and files that look like
// scripts but cannot be used. Nothing is run. World-writable files and directories are rejected.

import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

import { errorMessage } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/util/error-code'

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
const SCRIPT_EXTENSIONS = new Set(['.sh', '.bash', '.py', '.js', '.mjs', '.cjs', '.ts', '.rb', '.pl', '.php', '.lua'])
const EXECUTE_BITS = 0o111
const WORLD_WRITE_BIT = 0o002

export function scanScriptDirectory(directory: string): ScriptScan {
  try {
    const realDirectory = realpathSync(directory)
    if (isWorldWritable(statSync(realDirectory)))
      return { problem: `${directory} ${describeWorldWritable(directory)}`, files: [] }
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
  const { name: file } = entry
  const path = join(directory, file)
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return undefined
    if (entry.isSymbolicLink() && dirname(realpathSync(path)) !== directory) {
      return { file, reason: 'is a link that leads out of the folder: copy it there, or write a script that runs it.' }
    }
    const isExecutable = (stat.mode & EXECUTE_BITS) !== 0
    if (isExecutable && isWorldWritable(stat)) return { file, reason: describeWorldWritable(path) }
    if (isExecutable) return { file, path, fingerprint: fingerprintOf(stat) }
    return SCRIPT_EXTENSIONS.has(extname(file)) ? { file, reason: `is not executable: chmod +x ${path}` } : undefined
  } catch (error) {
    // It was deleted meanwhile, or its name is not valid UTF-8.
    if (hasErrorCode(error, 'ENOENT')) return undefined
    return { file, reason: `cannot be inspected (${errorMessage(error)}).` }
  }
}

function isWorldWritable({ mode }: Stats): boolean {
  // Windows has no such permission bits.
  return process.platform !== 'win32' && (mode & WORLD_WRITE_BIT) !== 0
}

function describeWorldWritable(path: string): string {
  return `can be changed by every user of this machine, so it is not run: chmod o-w ${path}`
}

function fingerprintOf({ dev, ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mode, mtimeMs, ctimeMs].join(':')
}
