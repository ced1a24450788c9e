// The temporary profile folder of one browser: private to this user, removed when the browser has exited. Its name
// identifies the server process, so that the next server removes the folders of killed ones.

import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { hashedName } from '../../lib/hashed-name.js'
import { bootId, isAlive, ourselves, pidSpace } from '../process-identity.js'

const PROFILE_NAME = /^scorpiox-browser-(\d+)-(\d*)-([0-9a-f]+)-([0-9a-f]+)-\w+$/

export function createProfile(parent = tmpdir()): Promise<string> {
  const { pid, startedAt, boot } = ourselves()
  return mkdtemp(join(parent, `scorpiox-browser-${pid}-${startedAt}-${shortHash(boot)}-${shortHash(pidSpace())}-`))
}

/** A browser that is exiting may still write into it. */
export async function removeProfile(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => {})
}

/** Removes the folders of this user whose server process is not running. */
export async function sweepProfiles(parent = tmpdir()): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter(isAbandoned)) {
    const folder = join(parent, name)
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) await removeProfile(folder)
  }
}

/** A pid is only valid until the next boot, and in the same pid namespace. */
function isAbandoned(name: string): boolean {
  const [, pid, startedAt = '', boot, namespace] = PROFILE_NAME.exec(name) ?? []
  if (pid === undefined) return false
  if (boot !== shortHash(bootId())) return true
  return namespace === shortHash(pidSpace()) && !isAlive({ pid: Number(pid), startedAt, boot: bootId() })
}

function shortHash(text: string): string {
  return hashedName(text).slice(0, 6)
}
