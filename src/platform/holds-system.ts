// Whether a folder is so wide that the system lies in it, as the root does, in which some clients start their servers.
// That a program lies there says nothing about who put it there.

import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'

import { isWithin } from '../lib/is-within.js'

export function holdsSystem(folder: string): boolean {
  if (dirname(folder) === folder) return true
  try {
    return isWithin(realpathSync('/bin/sh'), folder)
  } catch {
    return false
  }
}
