// The folder in which a nursery has its pipes. Its name says whose it is, so that whoever cleans up after a server that
// was killed together with its nursery finds it.

import { accessSync, constants, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { isWithin } from '../lib/is-within.js'

/** Every sandbox has its own. */
const UNSEEN = '/tmp'

export function makePlace(family: string): string {
  return mkdtempSync(join(folderOf(tmpdir()), beginningOf(family)))
}

// A pipe can be written to on a read-only mount too, and what is written here is run. Another server hides the folder it
// knows for temporary files from its commands; ours may be another.
function folderOf(usual: string): string {
  try {
    if (isWithin(realpathSync(usual), UNSEEN) || realpathSync(UNSEEN) !== UNSEEN) return usual
    accessSync(UNSEEN, constants.W_OK | constants.X_OK)
    return UNSEEN
  } catch {
    return usual
  }
}

/** As far as that can be done. */
export function removePlace(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // Somebody has put something there meanwhile.
  }
}

export function removePlacesOf(family: string): void {
  for (const folder of new Set([tmpdir(), folderOf(tmpdir())])) {
    if (!existsSync(folder)) continue
    const names = readdirSync(folder).filter((name) => name.startsWith(beginningOf(family)))
    for (const name of names) removePlace(join(folder, name))
  }
}

function beginningOf(family: string): string {
  return `scorpiox-${family}-`
}
