// Judge: the single executable, driven by real clients of both protocol eras in an empty directory, without Node.js and Bun
// in PATH. Skipped without a Bun to build it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openWorld } from './binary/environment.mjs'
import { commandChecks, httpChecks, restartedChecks, sandboxChecks, toolChecks } from './binary/checks.mjs'
import { findBun } from '../scripts/find-bun.mjs'
import { openReport } from './shared/report.mjs'
import { openSession, periodClients } from './shared/session.mjs'

const root = resolve(import.meta.dirname, '..')
const report = openReport('binary')
const clients = periodClients.filter(({ mode }) => mode && mode !== 'auto')

if (process.platform !== 'linux') report.skip('all', `no sandbox on ${process.platform}`)
else if (findBun(() => undefined) === undefined) report.skip('all', 'no Bun to build it with')
else if (await report.check('builds', build, () => [])) await judge()
report.finish()

async function build() {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/binary.mjs'], { cwd: root, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.ok(existsSync(join(root, 'dist/scorpiox-code')))
}

async function judge() {
  const environment = await openWorld(join(root, 'dist/scorpiox-code'))
  if (!environment.hasBrowser) report.skip('a page made by its scripts', 'no browser')
  if (!environment.images) report.skip('images', 'nothing to make them with')
  try {
    for (const client of clients) {
      const home = environment.home()
      await conduct(client.label, client, environment, home, toolChecks)
      await conduct(`${client.label} | restarted`, client, environment, home, restartedChecks)
    }
    const [client] = clients
    // The directory of the replaced PATH is not visible in the sandbox.
    const sandboxed = { ...environment, env: { ...environment.env, PATH: '/usr/bin:/bin', SANDBOX: 'workspace' } }
    await conduct('sandbox', client, sandboxed, environment.home(), sandboxChecks)
    await runAll('commands', commandChecks(environment))
    await runAll('http', httpChecks(sandboxed))
  } finally {
    environment.close()
  }
}

async function conduct(label, client, { program, env, ...environment }, { HOME, project }, checks) {
  process.chdir(project)
  const session = await openSession(client, { command: program, args: [], env }, HOME)
  try {
    const evidence = () => session.evidence()
    if (!(await report.check(`${label} | connects`, session.connect, evidence))) return
    for (const [what, check] of checks(session, environment, project))
      await report.check(`${label} | ${what}`, check, evidence)
  } finally {
    session.dispose()
    process.chdir(import.meta.dirname)
  }
}

async function runAll(label, checks) {
  for (const [what, check] of checks) await report.check(`${label} | ${what}`, check, () => [])
}
