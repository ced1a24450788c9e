// Stamps of files: tell whether any of them was changed, created or removed. Used by the environments of this folder,
// so that a command costs a few stats. Reads the file system only.

import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'

export function stampFiles(paths: readonly string[]): string {
  return paths.map(stampFile).join('\n')
}

function stampFile(path: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true })
    return `${path} ${ino} ${size} ${mtimeNs}`
  } catch {
    return path
  }
}

/** Of a folder that a command may have made: opening a FIFO must not block. Undefined if it is missing or too long. */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(file)
      return stat.isFile() && stat.size <= maxBytes ? readFileSync(file, 'utf8') : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}
