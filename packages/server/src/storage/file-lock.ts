// Runs work under an exclusive lock across processes: a file that only one of them can create. A stale lock is detected
// by its age alone, because a process id means nothing in another container. Blocks the thread while it waits. Used by
// token-file, install-record and engine-state-file. Creates and removes the lock file.

import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { toWriteFailure } from './private-files.js'

const RETRY_MS = 5
/** Work under a lock takes milliseconds. */
const STALE_MS = 10_000
const DEFAULT_TIMEOUT_MS = 15_000
/** How long Windows may refuse a file that another process has open or is removing. */
const BUSY_MS = 2000

/** The system; tests replace it. */
export interface LockSystem {
  readonly platform: NodeJS.Platform
  readonly writeFile: typeof writeFileSync
  readonly readFile: (path: string, encoding: 'utf8') => string
  readonly removeFile: typeof rmSync
}

const SYSTEM: LockSystem = {
  platform: process.platform,
  writeFile: writeFileSync,
  readFile: readFileSync,
  removeFile: rmSync,
}

/** `work` receives a function that tells whether the lock is still held; it must be called just before committing. */
export function withFileLock<T>(
  path: string,
  work: (isStillHeld: () => boolean) => T,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  system = SYSTEM,
): T {
  const holderId = randomUUID()
  const isStillHeld = (): boolean => readHolder(path, system) === holderId
  const start = performance.now()
  let isFolderChecked = false
  while (!tryAcquire(path, holderId, system)) {
    const waitedMs = performance.now() - start
    if (!isFolderChecked && waitedMs > Math.min(BUSY_MS, timeoutMs)) {
      isFolderChecked = true
      checkFolder(path, holderId, system)
    }
    if (waitedMs > timeoutMs) {
      throw new Failure(
        `${path} is locked by another process; if no process is using it, delete that file and try again`,
      )
    }
    removeIfStale(path, holderId, system)
    sleep(RETRY_MS * (0.5 + Math.random()))
  }
  try {
    return work(isStillHeld)
  } finally {
    if (isStillHeld()) removeQuietly(path, system)
  }
}

function tryAcquire(path: string, holderId: string, { platform, writeFile }: LockSystem): boolean {
  try {
    writeFile(path, holderId, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST') || isBusy(error, platform)) return false
    throw error
  }
}

/** Windows refuses a new file in a folder that is not writable with the same code as one that is being removed. */
function checkFolder(path: string, holderId: string, system: LockSystem): void {
  if (system.platform !== 'win32') return
  const probe = `${path}.${holderId}`
  try {
    system.writeFile(probe, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw toWriteFailure(dirname(path), error)
  }
  removeQuietly(probe, system)
}

/** The work is done: a lock that cannot be removed becomes stale. */
function removeQuietly(path: string, { removeFile }: LockSystem): void {
  try {
    removeFile(path, { force: true })
  } catch {
    // Another process has it open.
  }
}

/** On Windows a file that is removed while another process has it open exists until that process closes it. */
function isBusy(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && hasErrorCode(error, 'EPERM', 'EACCES', 'EBUSY')
}

// Another process may have removed the stale lock and acquired it since it was checked. So the file is renamed, which
// only one process can do, checked again, and restored if it is a new lock.
function removeIfStale(path: string, holderId: string, system: LockSystem): void {
  if (!isStale(path)) return
  const movedPath = `${path}.${holderId}`
  try {
    renameSync(path, movedPath)
    if (!isStale(movedPath)) linkSync(movedPath, path)
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT', 'EEXIST') && !isBusy(error, system.platform)) throw error
  } finally {
    removeQuietly(movedPath, system)
  }
}

function isStale(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs >= STALE_MS
}

/** A lock that cannot be read for a moment is not lost: the holder would drop its work. */
function readHolder(path: string, { platform, readFile }: LockSystem): string | undefined {
  const end = performance.now() + BUSY_MS
  for (;;) {
    try {
      return readFile(path, 'utf8')
    } catch (error) {
      const isRefused = isBusy(error, platform)
      if (hasErrorCode(error, 'ENOENT') || (isRefused && performance.now() > end)) return undefined
      if (!isRefused) throw error
    }
    sleep(RETRY_MS)
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
