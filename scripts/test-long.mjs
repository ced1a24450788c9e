// Runs the long tests, which `npm test` leaves out: `npm run test:long [-- file...]`. A test is long if it, its group or
// its file has the tag `long`. Without file arguments, only files are loaded that contain the tag, or import a file of test/
// that does.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const tag = /\btags\b.*\['long'\]|@module-tag long/

const named = process.argv.slice(2)
const files = named.length > 0 ? named : ['test', 'packages'].flatMap(testFiles).filter(hasTag)
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
  const text = readFileSync(file, 'utf8')
  return tag.test(text) || importsOf(file, text).some((imported) => tag.test(readFileSync(imported, 'utf8')))
}

function importsOf(file, text) {
  return [...text.matchAll(/ from '(\.[^']*)\.js'/g)]
    .map(([, path]) => `${join(dirname(file), path)}.ts`)
    .filter((path) => path.startsWith('test') && existsSync(path))
}
