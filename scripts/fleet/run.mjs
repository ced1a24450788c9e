// The fleet inside its namespaces: reads the options, runs the parts in order, prints the report. Started by
// scripts/fleet.mjs with the folder to work in.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { runChecks } from './checks.mjs'
import { runFault } from './faults.mjs'
import { FAULTS } from './fault-list.mjs'
import { measureHop } from './hop.mjs'
import { openBridge } from './namespace.mjs'
import { openReport } from './report.mjs'
import { missingForPatroni } from './requirements.mjs'
import { openFleet } from './topology.mjs'
import { createRandom } from './wait.mjs'

const SHORT = ['kill -9', 'rolling restart, 8-s calls', 'database restarted', 'SIGSTOP, short']
const FAILOVERS = Object.keys(FAULTS).filter((name) => name.startsWith('database failover'))
const LOCAL = Object.keys(FAULTS).filter((name) => FAULTS[name].files === 'local')
const SHARED = Object.keys(FAULTS).filter((name) => ![...FAILOVERS, ...LOCAL, 'SIGSTOP, short'].includes(name))
const PARTS = ['checks', 'faults', 'local', 'patroni', 'client', 'hop', 'soak']
/** Restarting all machines with other clocks, or 60-second calls, would take most of a soak. */
const SOAKED = SHARED.filter((name) => !/clocks|60-s/.test(name))

const [base = '', ...rest] = process.argv.slice(2)
const { values } = parseArgs({
  args: rest,
  options: {
    short: { type: 'boolean', default: false },
    part: { type: 'string', multiple: true },
    fault: { type: 'string', multiple: true },
    machines: { type: 'string', default: '3' },
    users: { type: 'string', default: '6' },
    minutes: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    lease: { type: 'string' },
    json: { type: 'boolean', default: false },
    logs: { type: 'string' },
  },
})
const options = {
  machines: Number(values.machines),
  users: Number(values.users),
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  // On a busy machine a process may stand still for seconds.
  lease: Number(values.lease ?? (values.short ? 8 : 4)),
  /** A short run shares its machine with others, and fails only for what is lost, done twice, wrong or not explained. */
  judgesTimes: !values.short,
}
const report = openReport({ isJson: values.json })
const unknown = [
  ...(values.fault ?? []).filter((name) => !(name in FAULTS)).map((name) => `fault ${name}`),
  ...(values.part ?? []).filter((name) => !PARTS.includes(name)).map((name) => `part ${name}`),
]
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(', no ')}. Parts: ${PARTS.join(', ')}. Faults: ${Object.keys(FAULTS).join('; ')}`,
  )
  process.exit(1)
}

execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'fleet', base])
openBridge()
process.exitCode = await main()
process.exit()

async function main() {
  const parts = values.part ?? defaultParts()
  const faults = values.fault ?? (values.short ? SHORT : [...SHARED, ...LOCAL, ...FAILOVERS])
  const of = (names) => faults.filter((name) => names.includes(name))
  const shared = of([...SHARED, 'SIGSTOP, short'])
  if (parts.includes('checks')) await withFleet({ files: 'local' }, 'check', (fleet) => runChecks(fleet, report))
  if (parts.includes('faults')) await runFaults({ files: 'shared' }, 'fault', shared)
  if (parts.includes('local')) await runFaults({ files: 'local' }, 'fault', of(LOCAL))
  if (parts.includes('patroni')) await runFailovers(of(FAILOVERS))
  if (parts.includes('client')) await withFleet({ files: 'shared' }, 'client', runClient)
  if (parts.includes('hop')) await withFleet({ files: 'shared' }, 'hop', runHop)
  if (parts.includes('soak')) await withFleet({ files: 'shared' }, 'soak', soak)
  return report.finish()
}

function defaultParts() {
  if (values.fault) return ['faults', 'local', 'patroni']
  if (values.short) return ['checks', 'faults']
  return options.minutes > 0 ? ['soak'] : PARTS.filter((part) => !['soak', 'hop'].includes(part))
}

/** Faults in an order that the seed determines, until the time is up. */
async function soak(fleet) {
  const random = createRandom(options.seed)
  const endsAt = Date.now() + options.minutes * 60_000
  while (Date.now() < endsAt) {
    const name = random.pick(SOAKED)
    report.add({ part: 'soak', name, ...(await runFault(fleet, name)) })
  }
}

async function runHop(fleet) {
  report.add({ part: 'hop', name: 'one machine to another', ...(await measureHop(fleet)) })
}

async function runClient(fleet) {
  const { AGENT, runAgentClient } = await import('./agent-client.mjs')
  report.add({ part: 'client', name: `${AGENT.label}, rolling restart`, ...(await runAgentClient(fleet)) })
}

async function runFailovers(names) {
  if (names.length === 0) return
  const skipped = missingForPatroni()
  if (skipped !== '') report.add({ part: 'patroni', name: 'all', violations: [], skipped })
  else await runFaults({ files: 'shared', database: 'patroni' }, 'patroni', names)
}

async function runFaults(kind, part, names) {
  if (names.length === 0) return
  await withFleet(kind, part, async (fleet) => {
    for (const name of names) {
      report.add({ part, name, ...(await runFault(fleet, name)) })
    }
  })
}

/** A part that breaks is a failed row; its fleet is closed in any case. */
async function withFleet(kind, part, work) {
  const startedAt = Date.now()
  let fleet
  try {
    fleet = await openFleet({ base, options, ...kind })
    report.progress(
      `       ${fleet.machines.length} machines, ${kind.files} files, ${fleet.kind} database: up in ${Date.now() - startedAt} ms`,
    )
    await work(fleet)
  } catch (error) {
    report.add({ part, name: 'run', violations: [error.stack ?? String(error)] })
  } finally {
    if (fleet && values.logs !== undefined) keepLogs(fleet)
    await fleet?.close()
    fleet?.removeFiles()
  }
}

function keepLogs({ folder, balancer }) {
  writeFileSync(join(folder, 'haproxy.log'), balancer.log.join('\n'))
  mkdirSync(values.logs, { recursive: true })
  cpSync(folder, join(values.logs, folder.split('/').at(-1)), {
    recursive: true,
    filter: (path) => path === folder || path.endsWith('.log') || path.endsWith('.cfg'),
  })
}
