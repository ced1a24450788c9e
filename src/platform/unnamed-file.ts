// Creates a temporary file that no other process can open: its name is removed before the descriptor is returned.

import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A descriptor to read the text from; the caller closes it. */
export function openUnnamed(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-'))
  try {
    const path = join(folder, 'input')
    writeFileSync(path, text, { mode: 0o600 })
    return openSync(path, 'r')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
