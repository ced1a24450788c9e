// A file that nobody else can open: its name is gone before anybody is told of it.

import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A descriptor from which the text can be read; it is the caller's to close. */
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
