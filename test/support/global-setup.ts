// Before the first test: builds the program, because tests start the real one, and creates a temporary directory for
// the run. After the last test: removes it.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { PACKAGE_PAGES } from '../../scripts/package-docs.mjs'

/** What the build reads, and its script. */
const SOURCES = [
  'packages',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.build.json',
  'tsconfig.json',
  ...PACKAGE_PAGES.map((name) => `docs/${name}`),
]
/** Written last by the build, and removed first. */
const BUILT = 'dist/types/package.json'

export default function setUp(): () => void {
  if (!isBuilt()) execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-run-'))
  // The workers inherit it, and os.tmpdir() uses it.
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

/** Whether dist/ is newer than everything it is built from, as after the checks of `npm test`. */
function isBuilt(): boolean {
  if (!existsSync(BUILT)) return false
  const builtAt = statSync(BUILT).mtimeMs
  return SOURCES.every((path) => lastChange(path) < builtAt)
}

/** Of a file, or of a directory and what is in it: the time of a directory changes when a file is removed. */
function lastChange(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  const names = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist')
  return Math.max(stat.mtimeMs, ...names.map((name) => lastChange(join(path, name))))
}
