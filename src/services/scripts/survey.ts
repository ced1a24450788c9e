// Scans the script directory: candidate files with a fingerprint that changes with the file, and files that look like
// scripts but cannot be used. Nothing is run. World-writable files and directories are rejected.

import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs'
import { dirname, extname, join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { reasonOf } from '../../lib/reason-of.js'

export interface Survey {
  /** Why the directory cannot be used; undefined if it can. */
  readonly problem: string | undefined
  /** Sorted by name. */
  readonly files: readonly Seen[]
}

export type Seen = { readonly file: string; readonly path: string; readonly mark: string } | LeftOut

export interface LeftOut {
  readonly file: string
  /** A sentence without its subject, with what to do. */
  readonly reason: string
}

/** Maximum number of files inspected. */
const MAX_FILES = 1000
const SCRIPT_EXTENSIONS = new Set(['.sh', '.bash', '.py', '.js', '.mjs', '.cjs', '.ts', '.rb', '.pl', '.php', '.lua'])
const SOMEBODY_MAY_RUN = 0o111
const ANYBODY_MAY_WRITE = 0o002

export function surveyScripts(directory: string): Survey {
  try {
    const realDirectory = realpathSync(directory)
    if (isAnybodys(statSync(realDirectory))) return { problem: `${directory} ${whyNobodys(directory)}`, files: [] }
    const entries = readdirSync(realDirectory, { withFileTypes: true }).filter(({ name }) => !/^[._]/.test(name))
    const first = entries.toSorted(byName).slice(0, MAX_FILES)
    return { problem: undefined, files: first.flatMap((entry) => look(realDirectory, entry) ?? []) }
  } catch (error) {
    return { problem: `${directory} ${whyNot(error)}`, files: [] }
  }
}

/** Independent of the locale: of two scripts with one tool name the first keeps it. */
function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1
}

function whyNot(error: unknown): string {
  if (hasCode(error, 'ENOENT')) return 'does not exist: create it, or correct SCRIPT_TOOLS.'
  if (hasCode(error, 'ENOTDIR')) return 'is not a folder: correct SCRIPT_TOOLS.'
  return `cannot be read (${reasonOf(error)}): let this user read it, or correct SCRIPT_TOOLS.`
}

/** Undefined for files that do not look like scripts. */
function look(directory: string, entry: Dirent): Seen | undefined {
  const { name: file } = entry
  const path = join(directory, file)
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return undefined
    if (entry.isSymbolicLink() && dirname(realpathSync(path)) !== directory) {
      return { file, reason: 'is a link that leads out of the folder: copy it there, or write a script that runs it.' }
    }
    const isExecutable = (stat.mode & SOMEBODY_MAY_RUN) !== 0
    if (isExecutable && isAnybodys(stat)) return { file, reason: whyNobodys(path) }
    if (isExecutable) return { file, path, mark: markOf(stat) }
    return SCRIPT_EXTENSIONS.has(extname(file)) ? { file, reason: `is not executable: chmod +x ${path}` } : undefined
  } catch (error) {
    // It was deleted meanwhile, or its name is not valid UTF-8.
    if (hasCode(error, 'ENOENT')) return undefined
    return { file, reason: `cannot be inspected (${reasonOf(error)}).` }
  }
}

function isAnybodys({ mode }: Stats): boolean {
  // Windows has no such permission bits.
  return process.platform !== 'win32' && (mode & ANYBODY_MAY_WRITE) !== 0
}

function whyNobodys(path: string): string {
  return `can be changed by every user of this machine, so it is not run: chmod o-w ${path}`
}

function markOf({ dev, ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mode, mtimeMs, ctimeMs].join(':')
}
