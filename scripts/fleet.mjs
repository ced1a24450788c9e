// Several machines behind a load balancer, tested with faults: real servers in namespaces of their own, HAProxy, PostgreSQL
// (also under Patroni), clients of every generation. Prints a table; exits with 1 if something failed or was violated.
//
//   npm run fleet [-- --short] [--part checks|faults|local|patroni|client|hop|soak] [--fault <name>] [--machines 3] [--users 6]
//                 [--minutes 30] [--seed 1] [--lease 4, or 8] [--json] [--logs <folder>]
//
// Needs root and Debian's packages iproute2, haproxy, postgresql; for parts of it patroni, etcd-server, faketime. This
// file makes the namespaces that scripts/fleet/run.mjs works in; with them ends everything that was started or mounted.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { missingPackages } from './fleet/requirements.mjs'

const arguments_ = process.argv.slice(2)
const missing = missingPackages()
if (missing !== '') {
  console.error(missing)
  process.exit(1)
}

if (arguments_.includes('client') || arguments_.length === 0) await installAgent()
const base = mkdtempSync(join(tmpdir(), 'scorpiox-fleet-'))
const flags = ['--mount', '--net', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']
const program = [process.execPath, join(import.meta.dirname, 'fleet/run.mjs'), base, ...arguments_]
const child = spawn('unshare', [...flags, ...program], { stdio: ['ignore', 'inherit', 'inherit'] })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGKILL'))
child.once('exit', (code) => {
  rmSync(base, { recursive: true, force: true })
  process.exitCode = code ?? 1
})

/** Inside the namespaces there is no network to install it from. */
async function installAgent() {
  const { codex } = await import('../judges/agents/drivers/codex.mjs')
  const { installClient } = await import('../judges/agents/packages.mjs')
  await installClient(codex)
}
