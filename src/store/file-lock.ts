// One writer at a time, also across processes: a file that only one of them can create. Who died while holding it is
// found out by the age of the lock alone, because in another container its process id would mean nothing.

import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

import { Failure } from '../lib/failure.js'

const RETRY_MS = 5
/** Work under a lock takes milliseconds. */
const STALE_MS = 10_000
const PATIENCE_MS = 15_000

/** `work` is given a question to ask just before it commits: is the lock still ours? */
export function withFileLock<T>(path: string, work: (stillOurs: () => boolean) => T, patienceMs = PATIENCE_MS): T {
  const id = randomUUID()
  const stillOurs = (): boolean => read(path) === id
  const start = performance.now()
  while (!take(path, id)) {
    if (performance.now() - start > patienceMs) {
      throw new Failure(`${path} is held by another process; if none is at work on it, delete that file and try again`)
    }
    breakIfStale(path, id)
    sleep(RETRY_MS * (0.5 + Math.random()))
  }
  try {
    return work(stillOurs)
  } finally {
    if (stillOurs()) rmSync(path, { force: true })
  }
}

function take(path: string, id: string): boolean {
  try {
    writeFileSync(path, id, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

// Between the look and the deed somebody else may have broken the same lock and taken it. So it is moved aside, which
// only one can do, looked at again, and put back if it is a new one.
function breakIfStale(path: string, id: string): void {
  if (!isStale(path)) return
  const aside = `${path}.${id}`
  try {
    renameSync(path, aside)
    if (!isStale(aside)) linkSync(aside, path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function isStale(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs >= STALE_MS
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
