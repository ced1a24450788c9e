// Measures this server beside a bare loop and beside the official SDK, all in one run: see README.md.
//   node bench/run.mjs [--quick] [--only startup,memory,…] [--json file]

import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'

import { PHASES, runPhase } from './lib/measure.mjs'
import { renderCommands, summarizeCommands } from './lib/report-commands.mjs'
import { render, summarize } from './lib/report.mjs'
import { findSubjects } from './lib/subjects.mjs'
import { watchOthers } from './lib/system.mjs'

const choosePhases = (only) => {
  if (only === undefined) return PHASES
  const names = only.split(',')
  const unknown = names.filter((name) => !PHASES.some((phase) => phase.name === name))
  if (unknown.length > 0) {
    process.stderr.write(`--only knows ${PHASES.map(({ name }) => name).join(', ')}; not ${unknown.join(', ')}\n`)
    process.exit(2)
  }
  return PHASES.filter(({ name }) => names.includes(name))
}

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' }, json: { type: 'string' } },
})
const phases = choosePhases(options.only)
const { subjects, problems } = findSubjects()
const samples = {}
const notes = []
const others = watchOthers()

for (const phase of phases) {
  const startedAt = performance.now()
  await runPhase(phase, subjects, { quick: options.quick, samples, problems, notes })
  process.stderr.write(`${phase.name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

const summary = summarize(samples)
const commandsSummary = summarizeCommands(samples)
const machine = {
  node: process.version,
  system: process.platform,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
}
const othersCores = others()
const noise = othersCores === null ? '' : `; other processes used ${othersCores.toFixed(2)} cores meanwhile`
process.stdout.write(`\nnode ${machine.node}, ${machine.cpu}, ${machine.cores} cores${noise}\n`)
process.stdout.write(render(samples, summary))
process.stdout.write(renderCommands(commandsSummary))
for (const note of notes) process.stdout.write(`\n${note}\n`)

if (options.json !== undefined) {
  const report = {
    at: new Date().toISOString(),
    quick: options.quick,
    machine,
    othersCores,
    problems,
    notes,
    summary: [...summary, ...commandsSummary],
    samples,
  }
  writeFileSync(options.json, JSON.stringify(report, null, 2) + '\n')
}
if (problems.length > 0) {
  process.stdout.write(`\n${problems.join('\n')}\n`)
  process.exitCode = 1
}
