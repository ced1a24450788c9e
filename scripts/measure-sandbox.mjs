// Measures the overhead of the sandbox: `bash -c true` without it and at each level, interleaved so that all see the same load.
//   node scripts/measure-sandbox.mjs [rounds]

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { rolldown } from 'rolldown'

import { SOURCE_CONDITIONS } from './source-conditions.mjs'

const rounds = Number(process.argv[2] ?? 100)
const LEVELS = ['read-only', 'workspace', 'strict']
const root = fileURLToPath(new URL('..', import.meta.url))
const base = mkdtempSync('/var/tmp/scorpiox-measure-')

try {
  await measure(await load())
} finally {
  rmSync(base, { recursive: true, force: true })
}

async function load() {
  const entry = join(base, 'entry.ts')
  const from = (path) => JSON.stringify(join(root, 'packages/server/src/sandbox', path))
  writeFileSync(
    entry,
    `export { openSandbox, wrapCommand } from ${from('sandbox.ts')}
     export { listSecretPaths } from ${from('secret-paths.ts')}`,
  )
  const resolve = { conditionNames: SOURCE_CONDITIONS }
  const build = await rolldown({ input: entry, platform: 'node', tsconfig: false, resolve })
  await build.write({ file: join(base, 'sandbox.mjs'), format: 'esm' })
  return import(pathToFileURL(join(base, 'sandbox.mjs')).href)
}

async function measure({ openSandbox, wrapCommand, listSecretPaths }) {
  const project = join(base, 'project')
  mkdirSync(join(project, '.git', 'hooks'), { recursive: true })
  writeFileSync(join(project, '.git', 'config'), '')
  const sandbox = await openSandbox({
    levels: LEVELS,
    project,
    home: homedir(),
    workFolder: join(base, 'state'),
    hidden: listSecretPaths(process.platform)
      .map((path) => path.replace(/^~/, homedir()))
      .filter((path) => path !== homedir()),
    writable: [],
    readable: [],
    readOnly: [],
    pids: 512,
    memoryBytes: 4 * 2 ** 30,
    env: process.env,
  })
  const times = new Map(['none', ...LEVELS].map((name) => [name, { run: [], create: [] }]))
  for (let round = 0; round < rounds; round++) {
    times.get('none').run.push(await timed(['/bin/bash', '-c', 'true'], project))
    for (const level of LEVELS) {
      const startedAt = performance.now()
      const command = sandbox.create(level)
      times.get(level).create.push(performance.now() - startedAt)
      const argv = wrapCommand(command, [command.bash, '-c', `${command.shellPrelude}true`])
      times.get(level).run.push(await timed(argv, project))
      command.release()
    }
  }
  const { report } = sandbox
  console.log(`opened in ${report.tookMs} ms; limits by ${report.pids}, ${report.memory}; ${rounds} rounds, ms`)
  for (const [name, { run, create }] of times)
    console.log(`${name.padEnd(10)} ${spread(run)}   create() ${spread(create)}`)
  await sandbox.close()
}

function timed([file, ...args], cwd) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const child = spawn(file, args, { cwd, stdio: 'ignore' })
    child.once('exit', (code) =>
      code === 0 ? resolve(performance.now() - startedAt) : reject(new Error(`${file} ended with ${code}`)),
    )
  })
}

function spread(times) {
  if (times.length === 0) return '-'
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2)
  return `min ${at(0)} p50 ${at(0.5)} p95 ${at(0.95)}`
}
