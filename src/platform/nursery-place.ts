// The folder in which a nursery has its pipes. Its name says whose it is, so that whoever cleans up after a server that
// was killed together with its nursery finds it.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function makePlace(family: string): string {
  return mkdtempSync(join(tmpdir(), beginningOf(family)))
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
  const folder = tmpdir()
  if (!existsSync(folder)) return
  const names = readdirSync(folder).filter((name) => name.startsWith(beginningOf(family)))
  for (const name of names) removePlace(join(folder, name))
}

function beginningOf(family: string): string {
  return `scorpiox-${family}-`
}
