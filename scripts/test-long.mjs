// Runs the long tests, which `npm test` leaves out: `npm run test:long [-- file...]`. A test is long if it, its group or
// its file has the tag `long`. Without file arguments, only files that contain the tag are loaded.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const tag = /tags: .*\['long'\]|@module-tag long/

const named = process.argv.slice(2)
const files = named.length > 0 ? named : ['test', 'src'].flatMap(testFiles).filter(hasTag)
const { status } = spawnSync('vitest', ['run', '--tags-filter=long', ...files], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
process.exitCode = status ?? 1

function testFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
}

function hasTag(file) {
  return tag.test(readFileSync(file, 'utf8'))
}
