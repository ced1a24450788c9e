// Keeps what was found in the folders for the next start. Apart from the reading, which every start does.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { replaceFile } from '../../store/atomic-file.js'
import { ensurePrivateFolder } from '../../store/private-folder.js'

/** Projects whose index is kept. */
const MAX_FILES = 200
const STALE_MS = 60 * 60 * 1000

/** At once, so that an end of the process cannot come in between. Never throws: without it a start takes longer. */
export function writeCache(path: string, text: string): void {
  try {
    ensurePrivateFolder(dirname(path))
    replaceFile(path, text, () => true)
    prune(dirname(path))
  } catch {
    // A disk that is full or read-only is told of by those who need it.
  }
}

/** Takes away the oldest, and what a crash left half-written. */
function prune(folder: string): void {
  const files = readdirSync(folder)
    .map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at)
  const staleBefore = Date.now() - STALE_MS
  const over = files.filter(({ name, at }, index) => index >= MAX_FILES || (name.endsWith('.tmp') && at < staleBefore))
  for (const { name } of over) rmSync(join(folder, name), { force: true })
}
