// Replaces a file atomically and durably: after a crash it contains the old text or the new text, never a part. Files
// are created with mode 0600 by default, folders with 0700. Used by most code that stores files. Writes files, some
// functions synchronously.

import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

import { hasErrorCode } from './os.js'

/** Mode and owner of a file; only root can set the owner. */
export interface FilePermissions {
  readonly mode: number
  readonly owner?: Pick<Stats, 'uid' | 'gid'> | undefined
}

/**
 * `mayCommit` is called after the new text was synced to a temporary file. If it returns false, the old file stays
 * and the function returns false.
 */
export function replaceFile(
  path: string,
  content: string | Buffer,
  mayCommit: () => boolean,
  permissions?: FilePermissions,
): boolean {
  const tempPath = `${path}.${randomUUID()}.tmp`
  try {
    writeNewFileSynced(tempPath, content, permissions)
    if (!mayCommit()) return false
    renameOver(tempPath, path)
    fsyncFolder(dirname(path))
    return true
  } finally {
    rmSync(tempPath, { force: true })
  }
}

/** The same without blocking the event loop. */
export async function replaceFileAsync(path: string, text: string): Promise<void> {
  const tempPath = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(tempPath, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await renameOverAsync(tempPath, path)
    await fsyncFolderAsync(dirname(path)).catch(ignoreMissing)
  } finally {
    await rm(tempPath, { force: true })
  }
}

/** Windows refuses while another process has the file open, which takes milliseconds. */
const RETRY_LIMIT_MS = 2000
const RETRY_MS = 10

/** Renames a file over another one, also while other processes read or replace it. `renameFile` is replaced in tests. */
export function renameOver(from: string, to: string, renameFile = renameSync, platform = process.platform): void {
  const end = performance.now() + RETRY_LIMIT_MS
  for (;;) {
    try {
      return renameFile(from, to)
    } catch (error) {
      if (!isOpenElsewhere(error, platform) || performance.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS * (0.5 + Math.random()))
    }
  }
}

/** The same without blocking the event loop. */
export async function renameOverAsync(from: string, to: string): Promise<void> {
  const end = performance.now() + RETRY_LIMIT_MS
  for (;;) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (!isOpenElsewhere(error, process.platform) || performance.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())))
    }
  }
}

function isOpenElsewhere(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && hasErrorCode(error, 'EPERM', 'EACCES', 'EBUSY')
}

/** Another process may have read the new text and removed the folder because of it. */
function ignoreMissing(error: unknown): void {
  if (!hasErrorCode(error, 'ENOENT')) throw error
}

/** An existing folder keeps its mode. */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  // Not `recursive`: Node's recursive mkdir never returns where no folder can be created, as in /proc.
  if (dirname(path) !== path) makePrivateFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process created it first.
    if (!hasErrorCode(error, 'EEXIST')) throw error
  }
}

/** Creates a file and syncs it. Its permissions are never wider than requested, not even for a moment. */
export function writeNewFileSynced(
  path: string,
  content: string | Buffer,
  permissions: FilePermissions | undefined,
): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    if (permissions?.owner !== undefined && process.geteuid?.() === 0)
      fchownSync(file, permissions.owner.uid, permissions.owner.gid)
    if (permissions !== undefined) fchmodSync(file, permissions.mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes the creation, renaming and removal of entries durable. */
export function fsyncFolder(path: string): void {
  // Windows cannot sync folders.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

async function fsyncFolderAsync(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
