// Writes the generated files: the tables of the README and of docs/ in three languages, docs/api.md, server.json, the surface
// snapshot of each tool and the reference sizes. With --check it writes nothing and fails if a file is out of date, a
// translation is incomplete or stale, or a link is broken.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { apiReport } from './api-report.mjs'
import { askProgram } from './ask-program.mjs'
import { staleTranslations } from './docs/confirm.mjs'
import { allPages, brokenLinks } from './docs/links.mjs'
import { allWrongPhrases } from './docs/phrases.mjs'
import { composePages } from './docs/translations.mjs'
import { kernelSize } from './kernel-size.mjs'
import { registryEntry } from './registry-entry.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const check = process.argv.includes('--check')
const stale = []
const API = 'docs/api.md'

const tools = askProgram('tools')
const { options } = askProgram('config')

mkdirSync('test/surface', { recursive: true })
for (const tool of tools) put(`test/surface/${tool.name}.json`, json(tool))
for (const file of readdirSync('test/surface')) {
  if (!tools.some(({ name }) => file === `${name}.json`)) remove(`test/surface/${file}`)
}
const peers = read('bench/peers/results.json')
const clients = read('judges/agents/results.json')
const { files, problems } = composePages({ tools, options, peers, clients })
for (const [file, text] of files) put(file, text)
put(API, apiReport('dist/types/library.d.ts'))
put('server.json', json(registryEntry(read('package.json'), options)))
// Reference sizes only; the limits are in a test.
if (!check) put('test/package/sizes.json', json(await sizes()))
problems.push(...brokenLinks(allPages()))
problems.push(...(await staleTranslations(readText)), ...allWrongPhrases(readText))
if (stale.includes(API)) {
  problems.push(
    `the public API of the library changed: run npm run generate, read the difference in ${API}, and give it a line in CHANGELOG.md`,
  )
}
if (stale.length > 0) problems.push(`not up to date: ${stale.join(', ')}; run npm run generate`)

for (const problem of problems) process.stderr.write(`${problem}\n`)
if (check && problems.length > 0) process.exit(1)

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}

function put(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  if (check) stale.push(file)
  else writeFileSync(file, text)
}

function remove(file) {
  if (check) stale.push(file)
  else rmSync(file)
}

async function sizes() {
  const { loaded } = await kernelSize()
  return {
    toolsList: Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } })),
    kernel: Object.values(loaded).reduce((sum, bytes) => sum + bytes),
  }
}
