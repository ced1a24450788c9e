// A message in the inbox of a session's folder, for a program that reads there: `inbox/<stem>.json`. It counts as read
// when it is no longer there. Whatever stands in the way is left alone: no link is followed.

import { lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { replaceFile } from '../../store/atomic-file.js'

/** Readers put a larger file aside without reading it. */
const MAX_BYTES = 64 * 1024

/** `folder` is that of the session, and is there. At once, so that nobody reads it before we know that it is there. */
export function putIntoInbox(folder: string, stem: string, text: string): string {
  const json = `${JSON.stringify({ mode: 'queue', text })}\n`
  if (Buffer.byteLength(json) > MAX_BYTES) throw new Failure('it is too long for that, and waits to be told elsewhere')
  const path = join(inboxOf(folder), `${stem}.json`)
  replaceFile(path, json, () => true)
  return path
}

/** Whether it was still there: then nobody has read it, and nobody will. */
export function takeBack(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    return !hasCode(error, 'ENOENT', 'ENOTDIR')
  }
}

/** Whether somebody has read it. Where the whole inbox is gone, nobody has. */
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

function inboxOf(folder: string): string {
  const inbox = join(folder, 'inbox')
  try {
    mkdirSync(inbox, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  if (lstatSync(inbox).isDirectory() && realpathSync.native(inbox) === join(realpathSync.native(folder), 'inbox')) {
    return inbox
  }
  throw new Failure(`${inbox} must be a folder, and no link to one: nothing is written there. Move it away.`)
}
