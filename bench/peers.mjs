// Measures this server beside others that are in use, all in one run, interleaved: see docs/comparison.md.
//   node bench/peers.mjs [--rounds 5] [--json file] [--keep folder]    docs/ shows what --json bench/peers/results.json keeps
// The others are installed from npm by exact version into a temporary folder, without install scripts, and run without a
// network and with a home of their own. Needs Linux and unshare.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { watchOthers } from './lib/system.mjs'
import { installPeers } from './peers/install.mjs'
import { PROBES, START } from './peers/probes.mjs'
import { render } from './peers/report.mjs'

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, json: { type: 'string' }, keep: { type: 'string' } },
})
const folder = options.keep ?? mkdtempSync(join(tmpdir(), 'bench-peers-'))
process.once('exit', () => {
  if (options.keep === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

const peers = installPeers(folder)
const figures = new Map(peers.map(({ key, megabytes }) => [key, { megabytes: [megabytes] }]))
const others = watchOthers()

// The first start of a server may write its settings: it does not count.
for (const peer of peers) await START.measure(peer)
await inTurns(START, Number(options.rounds), peers)
const withShell = peers.filter(({ shell }) => shell)
for (const probe of PROBES) await inTurns(probe, probe.times, withShell)

const report = {
  day: new Date().toISOString().slice(0, 10),
  machine: `Node ${process.version.slice(1)}, ${cpus()[0]?.model}, ${cpus().length} cores`,
  busyCores: others(),
  rounds: Number(options.rounds),
  peers: peers.map(({ key, version }) => ({
    key,
    ...(version.startsWith('file:') ? {} : { version }),
    figures: figures.get(key),
  })),
}
process.stdout.write(`\n${report.machine}; other processes used ${report.busyCores?.toFixed(2)} cores meanwhile\n\n`)
process.stdout.write(`${render(report)}\n`)
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)

async function inTurns(probe, times, subjects) {
  for (let round = 0; round < times; round += 1) for (const peer of subjects) await take(probe, peer)
}

async function take(probe, peer) {
  process.stderr.write(`${probe.key}: ${peer.key}\n`)
  const taken = figures.get(peer.key)
  for (const [name, value] of Object.entries(await probe.measure(peer))) (taken[name] ??= []).push(rounded(value))
}

function rounded(value) {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : value
}
