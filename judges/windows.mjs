// Judge: win32 binaries under Wine. The package, installed with its win32 dependencies, runs on node.exe in Wine 10, and then
// the executable for Windows; so does their client (windows/client.mjs). This is no Windows: PowerShell there is a stub, the
// shell is a stand-in (windows/stand-in-shell.cjs), access rights and links are not real. Skipped where Wine cannot be had.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findBun } from '../scripts/find-bun.mjs'
import { openReport } from './shared/report.mjs'
import { clearDrive, describeMissingTools, NODE_VERSIONS, prepareWine } from './windows/prepare-wine.mjs'

const root = resolve(import.meta.dirname, '..')
const report = openReport('windows')
const reason = describeMissingTools()
if (reason === undefined) await judge()
else report.skip('all', reason)
report.finish()

async function judge() {
  const startedAt = Date.now()
  let wine
  try {
    wine = prepareWine()
  } catch (error) {
    return report.skip('all', `Wine could not be prepared: ${error.message.replaceAll(/\s+/g, ' ')}`)
  }
  console.log(`windows: Wine ${wine.wasReady ? 'was ready' : 'prepared'} after ${secondsSince(startedAt)}`)
  installPackage(join(wine.work, 'app'))
  copyFileSync(join(import.meta.dirname, 'windows/client.mjs'), join(wine.work, 'client.mjs'))
  for (const version of NODE_VERSIONS) await judgeOn(version, `Node ${version}`, wine)
  if (findBun(() => undefined) === undefined) report.skip('executable', 'no Bun to build it with')
  else if (
    await report.check(
      'executable | builds',
      () => buildExecutable(wine.work),
      () => [],
      240_000,
    )
  )
    await judgeOn(NODE_VERSIONS[0], 'executable', wine, ['executable.exe'])
  console.log(`windows: ${secondsSince(startedAt)}`)
}

async function judgeOn(version, label, wine, executable = []) {
  clearDrive(wine.folder)
  const findings = join(wine.work, 'findings.jsonl')
  rmSync(findings, { force: true })
  const words = [`node${version}\\node.exe`, 'client.mjs', 'findings.jsonl', 'app', 'shell\\bash.exe', ...executable]
  await report.check(
    `${label} | the client ends`,
    async () => wine.run(words.map((word) => `'Z:\\work\\${word}'`).join(' ')),
    () => [],
    240_000,
  )
  const lines = existsSync(findings) ? readFileSync(findings, 'utf8').trim().split('\n') : []
  for (const { label: checked, ok, reason: failure } of lines.map((line) => JSON.parse(line))) {
    const found = async () => assert.ok(ok, failure)
    await report.check(`${label} | ${checked}`, found, () => [])
  }
}

async function buildExecutable(work) {
  const args = [join(root, 'scripts/binary.mjs'), '--target', 'windows-x64']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  copyFileSync(join(root, 'dist/binaries/scorpiox-code-windows-x64.exe'), join(work, 'executable.exe'))
}

/** With the dependencies of win32, whatever runs npm. */
function installPackage(folder) {
  const packed = mkdtempSync(join(tmpdir(), 'scorpiox-windows-'))
  try {
    const [{ filename }] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', packed], root))
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true }\n')
    const forWindows = ['--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund']
    npm(['install', join(packed, filename), ...forWindows], folder)
  } finally {
    rmSync(packed, { recursive: true, force: true })
  }
}

function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8', timeout: 240_000 })
  assert.equal(status, 0, stderr)
  return stdout
}

function secondsSince(time) {
  return `${((Date.now() - time) / 1000).toFixed(1)} s`
}
