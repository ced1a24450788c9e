// Inbox files: `inbox/<stem>.json` in the session directory, for programs that read messages there. A file counts as
// read when it no longer exists. Links are not followed.

import { lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { replaceFile } from '../../store/atomic-file.js'

/** Readers move larger files away without reading them. */
const MAX_BYTES = 64 * 1024

/** `folder`: the existing session directory. Synchronous, so that the file is known before a program can read it. */
export function putIntoInbox(directory: string, stem: string, text: string): string {
  const json = `${JSON.stringify({ mode: 'queue', text })}\n`
  if (Buffer.byteLength(json) > MAX_BYTES) throw new Failure('the message is too long for an inbox file')
  const path = join(ensureInboxDirectory(directory), `${stem}.json`)
  replaceFile(path, json, () => true)
  return path
}

/** Returns whether the file still existed; then it was not read. */
export function takeBack(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    return !hasCode(error, 'ENOENT', 'ENOTDIR')
  }
}

/** Whether the file was read. If the whole inbox directory is gone, it was not. */
export function isTaken(path: string): boolean {
  try {
    return exists(dirname(path)) && !exists(path)
  } catch {
    return false
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function ensureInboxDirectory(directory: string): string {
  const inbox = join(directory, 'inbox')
  try {
    mkdirSync(inbox, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  if (lstatSync(inbox).isDirectory() && realpathSync.native(inbox) === join(realpathSync.native(directory), 'inbox')) {
    return inbox
  }
  throw new Failure(`${inbox} must be a directory, not a link: nothing was written. Move it away.`)
}
