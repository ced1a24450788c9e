// Reads or creates the identity of the disk that a machine keeps its files on: a random name in the file `disk` of the
// state directory. A server that is restarted there has the same identity; no other machine has it. Used by
// join-machines.ts of the app. Reads and writes that one file.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

import { hasErrorCode } from '@scorpiox/mcp/os'
import { writeFileSync } from 'node:fs'
import { ensurePrivateFolder, readOwnFile, toWriteFailure } from '../storage/private-files.js'

const NAME = /^[\da-f]{32}$/

/** Throws a Failure if the file can be neither read nor written. */
export async function readDiskIdentity(stateDir: string): Promise<string> {
  const path = join(stateDir, 'disk')
  const existing = (await readOwnFile(path, 100))?.text.trim()
  if (existing !== undefined && NAME.test(existing)) return existing
  ensurePrivateFolder(stateDir)
  const name = randomBytes(16).toString('hex')
  try {
    writeFileSync(path, `${name}\n`, { flag: existing === undefined ? 'wx' : 'w', mode: 0o600 })
    return name
  } catch (error) {
    // Another process of this machine has just written it.
    if (hasErrorCode(error, 'EEXIST')) return readDiskIdentity(stateDir)
    throw toWriteFailure(path, error)
  }
}
