// Before any test: builds the program once, since the tests of the house run the real thing, and gives the run a
// temporary folder of its own. After the last one: removes that folder.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export default function setUp(): () => void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-run-'))
  // The workers inherit it, and os.tmpdir() follows it.
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
