// A look at the folder of scripts: which files could be tools, each with a mark that changes when the file does, and
// which look as if they were meant to be and are not. Nothing is run, and what every user of the machine could have written
// is none.

import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs'
import { dirname, extname, join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { reasonOf } from '../../lib/reason-of.js'

export interface Survey {
  /** Why there are none; undefined where the folder could be read. */
  readonly problem: string | undefined
  /** By name. */
  readonly files: readonly Seen[]
}

export type Seen = { readonly file: string; readonly path: string; readonly mark: string } | LeftOut

export interface LeftOut {
  readonly file: string
  /** A sentence without its subject, and what to do. */
  readonly reason: string
}

/** Files of a folder that are looked at. */
const MAX_FILES = 1000
const SCRIPT_EXTENSIONS = new Set(['.sh', '.bash', '.py', '.js', '.mjs', '.cjs', '.ts', '.rb', '.pl', '.php', '.lua'])
const SOMEBODY_MAY_RUN = 0o111
const ANYBODY_MAY_WRITE = 0o002

export function surveyScripts(folder: string): Survey {
  try {
    const real = realpathSync(folder)
    if (isAnybodys(statSync(real))) return { problem: `${folder} ${whyNobodys(folder)}`, files: [] }
    const entries = readdirSync(real, { withFileTypes: true }).filter(({ name }) => !/^[._]/.test(name))
    const first = entries.toSorted(byName).slice(0, MAX_FILES)
    return { problem: undefined, files: first.flatMap((entry) => look(real, entry) ?? []) }
  } catch (error) {
    return { problem: `${folder} ${whyNot(error)}`, files: [] }
  }
}

/** The same wherever it runs: who comes first keeps a name that two want. */
function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1
}

function whyNot(error: unknown): string {
  if (hasCode(error, 'ENOENT')) return 'does not exist: make it, or correct SCRIPT_TOOLS.'
  if (hasCode(error, 'ENOTDIR')) return 'is not a folder: correct SCRIPT_TOOLS.'
  return `cannot be read (${reasonOf(error)}): let this user read it, or correct SCRIPT_TOOLS.`
}

/** Undefined where nobody would take it for a tool. */
function look(folder: string, entry: Dirent): Seen | undefined {
  const { name: file } = entry
  const path = join(folder, file)
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return undefined
    if (entry.isSymbolicLink() && dirname(realpathSync(path)) !== folder) {
      return { file, reason: 'is a link that leads out of the folder: copy it there, or write a script that runs it.' }
    }
    const isExecutable = (stat.mode & SOMEBODY_MAY_RUN) !== 0
    if (isExecutable && isAnybodys(stat)) return { file, reason: whyNobodys(path) }
    if (isExecutable) return { file, path, mark: markOf(stat) }
    return SCRIPT_EXTENSIONS.has(extname(file)) ? { file, reason: `is not executable: chmod +x ${path}` } : undefined
  } catch (error) {
    // It went between the two looks, or its name is none that can be spelled.
    if (hasCode(error, 'ENOENT')) return undefined
    return { file, reason: `cannot be looked at (${reasonOf(error)}).` }
  }
}

function isAnybodys({ mode }: Stats): boolean {
  // Windows has no such modes.
  return process.platform !== 'win32' && (mode & ANYBODY_MAY_WRITE) !== 0
}

function whyNobodys(path: string): string {
  return `can be changed by every user of this machine, so nothing of it is run: chmod o-w ${path}`
}

function markOf({ dev, ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mode, mtimeMs, ctimeMs].join(':')
}
