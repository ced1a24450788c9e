// Writes a cache file of one project or folder, and deletes old ones beside it. Loaded by skill-index and used by
// script-description-cache when what they cache has changed. Writes files.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { replaceFile } from '@scorpiox/mcp/atomic-file'
import { ensurePrivateFolder } from './private-files.js'

/** Maximum number of files in one folder. */
const MAX_FILES = 200
const STALE_MS = 60 * 60 * 1000

/** Synchronous, so that the process cannot exit in between. Never throws: without the cache a start only is slower. */
export function writeCacheFile(path: string, text: string): void {
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
