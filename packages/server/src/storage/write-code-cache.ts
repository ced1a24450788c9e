// Writes the code caches that the next start reads, and deletes old ones. Waits until the first list request was
// answered, so that they have its functions too. Loaded by main.ts of the app if the start found no valid cache.
// Polls on a timer; writes and deletes files.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { makePrivateFolder, replaceFile } from '@scorpiox/mcp/atomic-file'
import type { Config } from '../config/load-config.js'
import { getStateDir } from '../config/paths.js'
import { listWritableRoots } from '../config/writable-roots.js'
import { formatCodeCache, isPrivateFolder } from './code-cache.js'

/** Of one user; each program and version of Node.js has one for stdio and four for HTTP. */
const MAX_FILES = 16
const WAIT_MS = 500

/** The program file that a start found no valid cache for. */
export interface MissingCodeCache {
  readonly path: string
  readonly source: Buffer
  /** What is compiled by now, so that it also has the functions of the first requests. */
  readonly createData: () => Buffer
}

/** Waits for the first list request: the data contains what was compiled before it is made. */
export async function saveWhenListed(
  config: Config,
  missing: readonly MissingCodeCache[],
  hasListed: () => boolean,
): Promise<void> {
  while (!hasListed()) await sleep(WAIT_MS, undefined, { ref: false })
  for (const cache of missing) writeCodeCache(config, cache)
}

/** Synchronous, so that the process cannot exit in between. Never throws: without the cache a start only is slower. */
function writeCodeCache(config: Config, { path, source, createData }: MissingCodeCache): void {
  const folder = dirname(path)
  try {
    // With STATE_DIR elsewhere nothing is written to the home.
    if (getStateDir(config.settings) !== dirname(folder) || listWritableRoots(config).contains(path)) return
    makePrivateFolder(folder)
    if (!isPrivateFolder(dirname(folder)) || !isPrivateFolder(folder)) return
    replaceFile(path, formatCodeCache(source, createData()), () => true)
    deleteOldFiles(folder)
  } catch {
    // A full or read-only disk is reported by the features that need it.
  }
}

function deleteOldFiles(folder: string): void {
  const files = readdirSync(folder)
    .map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at)
  for (const { name } of files.slice(MAX_FILES)) rmSync(join(folder, name), { force: true })
}
