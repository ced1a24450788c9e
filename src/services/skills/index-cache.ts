// What was found in the folders, kept on disk so that a start need not read every skill again. It is believed only if
// it is a file of ours that nobody else may write to and has the form it should have; else it is as if there were none.

import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'

import { isObject } from '../../lib/json.js'
import { VERSION } from '../../lib/version.js'
import type { Place } from './places.js'
import { isSkillName, type Manifest } from './skill.js'

const MAX_BYTES = 8 * 1024 * 1024
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
  // Not `skills`: that is where the person's own are.
  return join(stateDir, 'skill-index', `${encodeURIComponent(project).slice(-120)}.json`)
}

/** Never throws. */
export function readCache(path: string): readonly Known[] {
  try {
    const value: unknown = JSON.parse(readSmall(path))
    if (!isObject(value) || value.form !== FORM || value.version !== VERSION || !Array.isArray(value.places)) return []
    return value.places.every(isKnown) ? value.places : []
  } catch {
    return []
  }
}

/** The text of the file, or undefined where it would be too long to be read again. */
export function cacheText(places: readonly Known[]): string | undefined {
  const text = JSON.stringify({ form: FORM, version: VERSION, places })
  return text.length > MAX_BYTES ? undefined : text
}

function readSmall(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    return isOurs(stats) && stats.size <= MAX_BYTES ? readFileSync(file, 'utf8') : ''
  } finally {
    closeSync(file)
  }
}

// Windows has no such owners and modes.
function isOurs(stats: Stats): boolean {
  const isPrivate = process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0)
  return stats.isFile() && isPrivate
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
  const isFrontmatter =
    value.frontmatter === undefined || (isObject(value.frontmatter) && value.frontmatter.name === value.name)
  const isNotes = Array.isArray(value.notes) && value.notes.every((note) => typeof note === 'string')
  return isSkillName(value.name) && isWhole && isExtra && isFrontmatter && isNotes
}
