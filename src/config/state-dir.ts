// Returns the state directory: STATE_DIR, or ~/.scorpiox.

import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

import { Failure } from '../lib/failure.js'
import type { Settings } from './options.js'

export function stateDirOf({ STATE_DIR: folder }: Pick<Settings, 'STATE_DIR'>): string {
  return folder === '' ? join(getHome(), '.scorpiox') : resolve(folder)
}

function getHome(): string {
  const folder = readHome()
  // A relative path would resolve inside the project, whose author could then read and write the state.
  if (isAbsolute(folder)) return folder
  throw new Failure('There is no home directory; set STATE_DIR to a folder')
}

// homedir() throws if the user has no passwd entry.
function readHome(): string {
  try {
    return homedir()
  } catch {
    return ''
  }
}
