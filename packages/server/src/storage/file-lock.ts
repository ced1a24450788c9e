// Runs work under an exclusive lock across processes: a file that only one of them can create. A stale lock is detected
// by its age alone, because a process id means nothing in another container. Blocks the thread while it waits. Used by
// token-file, install-record and engine-state-file. Creates and removes the lock file.

import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

import { Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'

const RETRY_MS = 5
/** Work under a lock takes milliseconds. */
const STALE_MS = 10_000
const DEFAULT_TIMEOUT_MS = 15_000

/** `work` receives a function that tells whether the lock is still held; it must be called just before committing. */
export function withFileLock<T>(
  path: string,
  work: (isStillHeld: () => boolean) => T,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): T {
  const holderId = randomUUID()
  const isStillHeld = (): boolean => readHolder(path) === holderId
  const start = performance.now()
  while (!tryAcquire(path, holderId)) {
    if (performance.now() - start > timeoutMs) {
      throw new Failure(
        `${path} is locked by another process; if no process is using it, delete that file and try again`,
      )
    }
    removeIfStale(path, holderId)
    sleep(RETRY_MS * (0.5 + Math.random()))
  }
  try {
    return work(isStillHeld)
  } finally {
    if (isStillHeld()) rmSync(path, { force: true })
  }
}

function tryAcquire(path: string, holderId: string): boolean {
  try {
    writeFileSync(path, holderId, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false
    throw error
  }
}

// Another process may have removed the stale lock and acquired it since it was checked. So the file is renamed, which
// only one process can do, checked again, and restored if it is a new lock.
function removeIfStale(path: string, holderId: string): void {
  if (!isStale(path)) return
  const movedPath = `${path}.${holderId}`
  try {
    renameSync(path, movedPath)
    if (!isStale(movedPath)) linkSync(movedPath, path)
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT', 'EEXIST')) throw error
  } finally {
    rmSync(movedPath, { force: true })
  }
}

function isStale(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs >= STALE_MS
}

function readHolder(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
