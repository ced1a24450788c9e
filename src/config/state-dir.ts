// Where the server keeps what it must remember: STATE_DIR, or a folder in the home of the person.

import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

import { Failure } from '../lib/failure.js'
import type { Settings } from './options.js'

export function stateDirOf({ STATE_DIR: folder }: Pick<Settings, 'STATE_DIR'>): string {
  return folder === '' ? join(home(), '.scorpiox') : resolve(folder)
}

function home(): string {
  const folder = ask()
  // A name relative to the project would let whoever wrote the project in.
  if (isAbsolute(folder)) return folder
  throw new Failure('There is no home directory to keep anything in; set STATE_DIR to a folder')
}

// A user without an entry has no home, and the system says so by throwing.
function ask(): string {
  try {
    return homedir()
  } catch {
    return ''
  }
}
