// Creates and removes the temporary directory with the FIFOs of a supervisor. Its name contains the tag prefix of the
// server, so that the next server can remove it if both processes were killed. Used by the supervisor and at the start
// of a server.

import { accessSync, constants, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { isInsideDirectory } from '../files/path-containment.js'

/** Each sandbox has a private one. */
const HIDDEN_FROM_SANDBOXES = '/tmp'

export function createPoolDirectory(tagPrefix: string): string {
  return mkdtempSync(join(chooseTempFolder(tmpdir()), directoryPrefix(tagPrefix)))
}

// A FIFO can be written to on a read-only mount too, and what is written here is executed. Another server hides only
// its own temporary folder from its commands, which may differ from ours; every sandbox hides /tmp.
function chooseTempFolder(systemDefault: string): string {
  try {
    if (
      isInsideDirectory(realpathSync(systemDefault), HIDDEN_FROM_SANDBOXES) ||
      realpathSync(HIDDEN_FROM_SANDBOXES) !== HIDDEN_FROM_SANDBOXES
    )
      return systemDefault
    accessSync(HIDDEN_FROM_SANDBOXES, constants.W_OK | constants.X_OK)
    return HIDDEN_FROM_SANDBOXES
  } catch {
    return systemDefault
  }
}

/** Ignores errors. */
export function removePoolDirectory(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // A file was created there meanwhile.
  }
}

export function removePoolDirectoriesOf(tagPrefix: string): void {
  for (const folder of new Set([tmpdir(), chooseTempFolder(tmpdir())])) {
    if (!existsSync(folder)) continue
    const names = readdirSync(folder).filter((name) => name.startsWith(directoryPrefix(tagPrefix)))
    for (const name of names) removePoolDirectory(join(folder, name))
  }
}

function directoryPrefix(tagPrefix: string): string {
  return `scorpiox-${tagPrefix}-`
}
