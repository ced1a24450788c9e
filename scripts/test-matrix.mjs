// Runs the whole suite on each supported runtime: `npm run test:matrix [-- runtime...] [-- filter...]`. Tests start servers
// with their own runtime, and a Node.js under test is also first in PATH. Missing features of a runtime are listed in
// test/support/runtime.ts.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const judges = join(root, 'judges')
const RUNTIMES = ['node20', 'node22', 'node24', 'bun']
const CLOSING = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m

const args = process.argv.slice(2).filter((word) => word !== '--')
const named = args.filter((name) => RUNTIMES.includes(name))
const filters = args.filter((name) => !RUNTIMES.includes(name))
const chosen = named.length > 0 ? named : RUNTIMES

install()
process.chdir(root)
const rows = []
for (const name of chosen) rows.push(await run(name))
print(rows)
process.exitCode = rows.every(({ isGood }) => isGood) ? 0 : 1

async function run(name) {
  const binary = binaryOf(name)
  const version = binary && versionOf(binary)
  if (!version) return { name, version: 'not found', isGood: false, minutes: 0 }
  console.log(`\n${name} ${version}`)
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-matrix-'))
  if (name !== 'bun') symlinkSync(binary, join(folder, 'node'))
  const startedAt = Date.now()
  const result = await vitest(binary, { PATH: `${folder}${delimiter}${process.env.PATH}` })
  rmSync(folder, { recursive: true, force: true })
  const [, passed, failed, skipped] = CLOSING.exec(result.text) ?? []
  const minutes = (Date.now() - startedAt) / 60_000
  return { name, version, passed, failed, skipped, minutes, isGood: result.code === 0 && failed === '0' }
}

/** Without CI=true, which would count tests skipped because of the runtime as failed. */
async function vitest(binary, env) {
  const child = spawn(binary, ['node_modules/vitest/vitest.mjs', 'run', ...filters], {
    env: { ...process.env, CI: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
    process.stdout.write(chunk)
  })
  const code = await new Promise((settle) => child.once('close', settle))
  return { code, text }
}

/** The running Node.js is used for its major version; the others are installed with judges/. */
function binaryOf(name) {
  if (name === `node${process.versions.node.split('.')[0]}`) return process.execPath
  const file = join(judges, 'node_modules', name, 'bin', name === 'bun' ? 'bun' : 'node')
  return existsSync(file) ? file : undefined
}

function versionOf(binary) {
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim().replace(/^v/, '') : undefined
}

function install() {
  if (chosen.every(binaryOf) || existsSync(join(judges, 'node_modules/.package-lock.json'))) return
  console.log('installing the runtimes (npm ci in judges/)')
  const shell = process.platform === 'win32'
  const { status } = spawnSync('npm', ['ci'], { cwd: judges, shell, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) process.exit(1)
}

function print(results) {
  console.log('\n| runtime | version | passed | failed | skipped | minutes |\n|---|---|---:|---:|---:|---:|')
  for (const { name, version, passed = '–', failed = '–', skipped = '–', minutes } of results)
    console.log(`| ${name} | ${version} | ${passed} | ${failed} | ${skipped} | ${minutes.toFixed(1)} |`)
}
