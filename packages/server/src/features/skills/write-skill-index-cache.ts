// Writes the skill index cache and prunes old ones. Separate from reading the cache, which happens at every start.
// Loaded by skill-index when the index has changed. Writes files.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { replaceFile } from '@scorpiox/mcp/util/atomic-file'
import { ensurePrivateFolder } from '../../storage/private-files.js'

/** Maximum number of projects with a cached index. */
const MAX_FILES = 200
const STALE_MS = 60 * 60 * 1000

/** Synchronous, so that the process cannot exit in between. Never throws: without the cache a start only is slower. */
export function writeSkillIndexCache(path: string, text: string): void {
  try {
    ensurePrivateFolder(dirname(path))
    replaceFile(path, text, () => true)
    pruneCacheFiles(dirname(path))
  } catch {
    // A full or read-only disk is reported by the features that need it.
  }
}

/** Deletes the oldest files and temporary files of a crash. */
function pruneCacheFiles(directory: string): void {
  const files = readdirSync(directory)
    .map((name) => ({ name, at: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at)
  const staleBefore = Date.now() - STALE_MS
  const expired = files.filter(
    ({ name, at }, index) => index >= MAX_FILES || (name.endsWith('.tmp') && at < staleBefore),
  )
  for (const { name } of expired) rmSync(join(directory, name), { force: true })
}
