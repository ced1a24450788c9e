// A long time of mixed load with faults on real servers, and the property tests at full length. Prints what failed and
// what grew; exits with 1 if a call failed that no fault explains, a trend is found, or memory stays after the load.
//
//   npm run soak [-- --part load|properties] [--minutes 10] [--rate 3] [--users 20] [--seed 1] [--variants sqlite,postgres]
//                [--faults "kill -9,disk full,clock jump,database restarted"|none] [--every 10] [--hour 60] [--out <folder>] [--docs]
//
// `rate` is operations a second on each server; 3 take about a tenth of a core for each. `docs` draws docs/pictures/soak.svg.
// `hour` is after how many minutes the servers drop what they otherwise drop after an hour.
// A file `stop` in the folder `out` ends the load early.
// Linux only. As root, STATE_DIR is a file system of its own, which can be filled; with libfaketime clocks can jump.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readOptions } from './soak/options.mjs'
import { missingPostgres } from './soak/postgres.mjs'

const REPOSITORY = join(import.meta.dirname, '..')
const args = process.argv.slice(2)
const options = readOptionsOrExit()

if (options.parts.includes('properties')) {
  const tests = ['run', 'test/hostile.test.ts', 'test/chunking.test.ts']
  await runOrExit(join(REPOSITORY, 'node_modules/.bin/vitest'), tests, { ...process.env, SOAK: '1' })
}
if (options.parts.includes('load')) await soak()

async function soak() {
  if (process.platform !== 'linux') exit('The load of the soak needs Linux: it reads /proc. Use --part properties.')
  const missing = options.variants.includes('postgres') ? missingPostgres() : ''
  if (missing !== '') exit(`${missing}. Use --variants sqlite to do without.`)
  await runOrExit(process.execPath, [join(REPOSITORY, 'scripts/build.mjs')], process.env)
  const base = mkdtempSync(join(tmpdir(), 'scorpiox-soak-'))
  chmodSync(base, 0o711)
  const isRoot = process.getuid() === 0
  const program = [
    process.execPath,
    join(import.meta.dirname, 'soak/run.mjs'),
    base,
    isRoot ? 'mounts' : 'plain',
    ...args,
  ]
  // Mounts end with their namespace. Process numbers stay those of the machine: the names of control groups contain them.
  const [command, ...rest] = isRoot ? ['unshare', '--mount', ...program] : program
  const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit'] })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'))
  const [code] = await once(child, 'exit')
  rmSync(base, { recursive: true, force: true, maxRetries: 5 })
  process.exitCode = code ?? 1
}

async function runOrExit(command, rest, env) {
  const [code] = await once(spawn(command, rest, { cwd: REPOSITORY, env, stdio: 'inherit' }), 'exit')
  if (code !== 0) process.exit(code ?? 1)
}

function readOptionsOrExit() {
  try {
    return readOptions(args)
  } catch (error) {
    return exit(error.message)
  }
}

function exit(reason) {
  console.error(reason)
  process.exit(2)
}
