// What was found in the folders, kept on disk so that a start need not read every skill again. It is believed only if
// it lies in a folder of ours and has the form it should have; else it is as if there were none.

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { isObject } from '../../lib/json.js'
import { VERSION } from '../../lib/version.js'
import { replaceFile } from '../../store/atomic-file.js'
import { ensurePrivateFolder, isPrivateFolder } from '../../store/private-folder.js'
import type { Place } from './places.js'
import type { Manifest } from './skill.js'

const MAX_BYTES = 8 * 1024 * 1024
/** Projects whose index is kept. */
const MAX_FILES = 200
const STALE_MS = 60 * 60 * 1000
const FORM = 1

/** One folder as it was last read. */
export interface Known {
  readonly path: string
  readonly level: Place['level']
  readonly mark: string
  readonly entries: readonly KnownEntry[]
  readonly excess: number
}

export type KnownEntry = { readonly name: string; readonly mark: string } & (Manifest | { readonly reason: string })

/** The file for a project, which need not exist. */
export function cacheFile(stateDir: string, project: string): string {
  // The end of a path tells projects apart better than its beginning; the paths inside settle it.
  return join(stateDir, 'skills', `${encodeURIComponent(project).slice(-120)}.json`)
}

/** Never throws. */
export function readCache(path: string): readonly Known[] {
  try {
    if (!isPrivateFolder(dirname(path))) return []
    const value: unknown = JSON.parse(readSmall(path))
    if (!isObject(value) || value.form !== FORM || value.version !== VERSION || !Array.isArray(value.places)) return []
    return value.places.every(isKnown) ? value.places : []
  } catch {
    return []
  }
}

/** At once, so that an end of the process cannot come in between. Never throws: without it a start takes longer. */
export function writeCache(path: string, places: readonly Known[]): void {
  const text = JSON.stringify({ form: FORM, version: VERSION, places })
  if (text.length > MAX_BYTES) return
  try {
    ensurePrivateFolder(dirname(path))
    replaceFile(path, text, () => true)
    prune(dirname(path))
  } catch {
    // A disk that is full or read-only is told of by those who need it.
  }
}

function readSmall(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(file, 'utf8') : ''
  } finally {
    closeSync(file)
  }
}

function isKnown(value: unknown): value is Known {
  if (!isObject(value) || !Array.isArray(value.entries)) return false
  const isText = [value.path, value.mark].every((text) => typeof text === 'string')
  const isLevel = value.level === 'project' || value.level === 'user'
  return isText && isLevel && typeof value.excess === 'number' && value.entries.every(isKnownEntry)
}

function isKnownEntry(value: unknown): value is KnownEntry {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.mark !== 'string') return false
  if (typeof value.reason === 'string') return true
  const isWhole = typeof value.description === 'string' && typeof value.isScript === 'boolean'
  const isExtra = ['undefined', 'string'].includes(typeof value.hint)
  const isFrontmatter = value.frontmatter === undefined || isObject(value.frontmatter)
  return isWhole && isExtra && isFrontmatter && Array.isArray(value.notes)
}

/** Takes away the oldest, and what a crash left half-written. */
function prune(folder: string): void {
  const files = readdirSync(folder)
    .map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at)
  const isStale = ({ name, at }: { readonly name: string; readonly at: number }): boolean =>
    name.endsWith('.tmp') && at < Date.now() - STALE_MS
  for (const file of files.filter((one, index) => index >= MAX_FILES || isStale(one))) {
    rmSync(join(folder, file.name), { force: true })
  }
}
