// The temporary profile folder of one browser: private to this user, removed when the browser has exited. Its name
// identifies the server process, so that the next server removes the folders of killed ones.

import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { currentProcessIdentity, isSameProcessAlive, pidNamespace, readBootId } from '../process/process-identity.js'
import { hashForFileName } from '../storage/file-names.js'

const PROFILE_NAME = /^scorpiox-browser-(\d+)-(\d*)-([0-9a-f]+)-([0-9a-f]+)-\w+$/

export function createProfileFolder(parent = tmpdir()): Promise<string> {
  const { pid, startedAt, boot } = currentProcessIdentity()
  return mkdtemp(join(parent, `scorpiox-browser-${pid}-${startedAt}-${shortHash(boot)}-${shortHash(pidNamespace())}-`))
}

/** A browser that is exiting may still write into it. */
export async function removeProfileFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => {})
}

/** Removes the folders of this user whose server process is not running. */
export async function removeAbandonedProfiles(parent = tmpdir()): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter(isAbandoned)) {
    const folder = join(parent, name)
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) await removeProfileFolder(folder)
  }
}

/** A pid is only valid until the next boot, and in the same pid namespace. */
function isAbandoned(name: string): boolean {
  const [, pid, startedAt = '', boot, namespace] = PROFILE_NAME.exec(name) ?? []
  if (pid === undefined) return false
  if (boot !== shortHash(readBootId())) return true
  return (
    namespace === shortHash(pidNamespace()) && !isSameProcessAlive({ pid: Number(pid), startedAt, boot: readBootId() })
  )
}

function shortHash(text: string): string {
  return hashForFileName(text).slice(0, 6)
}
