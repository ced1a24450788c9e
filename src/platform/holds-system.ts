// Whether a folder contains the system itself, as the root directory does, in which some clients start their servers.
// That a program is inside such a folder says nothing about its origin.

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
