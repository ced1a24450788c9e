// Replaces a file whole: after a crash at any moment the old text is there or the new, never a part. For its owner only,
// unless told.

import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'

import { hasCode } from '../lib/error-code.js'

/** Who may do what with a file; an owner is given by root alone. */
export interface Like {
  readonly mode: number
  readonly owner?: Pick<Stats, 'uid' | 'gid'> | undefined
}

/** `mayCommit` is asked last, when the new text lies on disk beside the old; false leaves the old one and says so. */
export function replaceFile(path: string, content: string | Buffer, mayCommit: () => boolean, like?: Like): boolean {
  const beside = `${path}.${randomUUID()}.tmp`
  try {
    writeDurably(beside, content, like)
    if (!mayCommit()) return false
    renameSync(beside, path)
    syncFolder(dirname(path))
    return true
  } finally {
    rmSync(beside, { force: true })
  }
}

/** The same without holding up everybody else while the disk works. */
export async function replaceFileLater(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(beside, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
    await syncFolderLater(dirname(path)).catch(unlessGone)
  } finally {
    await rm(beside, { force: true })
  }
}

/** Another process may have read the new text at once and removed its folder because of what it says. */
function unlessGone(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error
}

/** A folder that was there keeps the mode its owner gave it. */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  // By hand, because Node's recursive mkdir never returns where no folder can be made, as in /proc.
  if (dirname(path) !== path) makePrivateFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

function writeDurably(path: string, content: string | Buffer, like: Like | undefined): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    if (like?.owner !== undefined && process.geteuid?.() === 0) fchownSync(file, like.owner.uid, like.owner.gid)
    if (like !== undefined) fchmodSync(file, like.mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** So that what was put into it or taken from it stays so. */
export function syncFolder(path: string): void {
  // Windows has no folders one could sync.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

async function syncFolderLater(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
