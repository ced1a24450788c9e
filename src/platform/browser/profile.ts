// The folder of one browser: new for each, of this user alone, removed when the browser has ended. Its name tells whose it
// is, so that the next one removes what a server that was killed left behind.

import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { hashedName } from '../../lib/hashed-name.js'
import { bootId, isAlive, ourselves, pidSpace } from '../process-identity.js'

const NAME = /^scorpiox-browser-(\d+)-(\d*)-([0-9a-f]+)-([0-9a-f]+)-\w+$/

export function createProfile(parent = tmpdir()): Promise<string> {
  const { pid, startedAt, boot } = ourselves()
  return mkdtemp(join(parent, `scorpiox-browser-${pid}-${startedAt}-${short(boot)}-${short(pidSpace())}-`))
}

/** A browser that is just ending may still write into it. */
export async function removeProfile(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => {})
}

/** Removes the folders of this user whose server is gone. */
export async function sweepProfiles(parent = tmpdir()): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter(isAbandoned)) {
    const folder = join(parent, name)
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) await removeProfile(folder)
  }
}

/** The number of a process means something until the machine is started again, and in the same container only. */
function isAbandoned(name: string): boolean {
  const [, pid, startedAt = '', boot, space] = NAME.exec(name) ?? []
  if (pid === undefined) return false
  if (boot !== short(bootId())) return true
  return space === short(pidSpace()) && !isAlive({ pid: Number(pid), startedAt, boot: bootId() })
}

function short(text: string): string {
  return hashedName(text).slice(0, 6)
}
