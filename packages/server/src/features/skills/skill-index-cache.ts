// Reads the skill index cached on disk, so that a start need not read every skill, and formats its content for
// write-cache-file.ts. The cache is used only if it is owned by this user, not writable by others, and valid. Used
// by skill-index. Reads one file, synchronously.

import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'

import { isJsonObject } from '@scorpiox/mcp/json/json'
import { VERSION } from '../../config/version.js'
import type { SkillLocation } from './skill-locations.js'
import { isSkillName, type SkillManifest } from './skill.js'

const MAX_BYTES = 8 * 1024 * 1024
const FORMAT_VERSION = 2

/** One directory as last read. Stored as JSON: its member names are the file format. */
export interface IndexedDirectory {
  readonly path: string
  readonly level: SkillLocation['level']
  readonly mark: string
  readonly entries: readonly IndexedSkill[]
  readonly excess: number
}

export type IndexedSkill = { readonly name: string; readonly mark: string } & (
  | SkillManifest
  | { readonly reason: string }
)

/** Path of a project's cache file, which need not exist. */
export function skillIndexCachePath(stateDir: string, project: string): string {
  // The end of a path distinguishes projects better than its beginning; collisions are resolved by the paths stored
  // inside. Not `skills`, which is the directory of the user's own skills.
  return join(stateDir, 'skill-index', `${encodeURIComponent(project).slice(-120)}.json`)
}

/** Never throws; empty without a valid cache. */
export function readSkillIndexCache(path: string): readonly IndexedDirectory[] {
  try {
    const value: unknown = JSON.parse(readPrivateFile(path))
    if (
      !isJsonObject(value) ||
      value.form !== FORMAT_VERSION ||
      value.version !== VERSION ||
      !Array.isArray(value.places)
    )
      return []
    return value.places.every(isIndexedDirectory) ? value.places : []
  } catch {
    return []
  }
}

/** Content of the cache file; undefined if it would exceed the size limit of reading. */
export function formatSkillIndexCache(directories: readonly IndexedDirectory[]): string | undefined {
  const text = JSON.stringify({ form: FORMAT_VERSION, version: VERSION, places: directories })
  return text.length > MAX_BYTES ? undefined : text
}

function readPrivateFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    return isPrivateFile(stats) && stats.size <= MAX_BYTES ? readFileSync(file, 'utf8') : ''
  } finally {
    closeSync(file)
  }
}

// Windows has no such owners and permission bits.
function isPrivateFile(stats: Stats): boolean {
  const isPrivate = process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0)
  return stats.isFile() && isPrivate
}

function isIndexedDirectory(value: unknown): value is IndexedDirectory {
  if (!isJsonObject(value) || !Array.isArray(value.entries)) return false
  const hasPaths = [value.path, value.mark].every((text) => typeof text === 'string')
  const hasLevel = value.level === 'project' || value.level === 'user'
  return hasPaths && hasLevel && typeof value.excess === 'number' && value.entries.every(isIndexedSkill)
}

function isIndexedSkill(value: unknown): value is IndexedSkill {
  if (!isJsonObject(value) || typeof value.name !== 'string' || typeof value.mark !== 'string') return false
  if (typeof value.reason === 'string') return true
  if (!isSkillName(value.name) || typeof value.description !== 'string' || typeof value.isScript !== 'boolean')
    return false
  if (value.hint !== undefined && typeof value.hint !== 'string') return false
  const { frontmatter, notes } = value
  const hasValidFrontmatter =
    frontmatter === undefined || (isJsonObject(frontmatter) && frontmatter.name === value.name)
  return hasValidFrontmatter && Array.isArray(notes) && notes.every((note) => typeof note === 'string')
}
