// The conformance suite as a program: which scenarios it has, and what it found when they were run. What it writes
// into its output folder is the truth; its exit code leaves out the scenarios it does not score.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const packages = resolve(import.meta.dirname, '../node_modules')
const program = join(packages, '@modelcontextprotocol/conformance/dist/index.js')
const folder = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/

/** The Node the suite runs on (it needs 22), or undefined where there is none. */
export function findRuntime() {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath
  const binary = join(packages, 'node22/bin/node')
  return spawnSync(binary, ['--version']).status === 0 ? binary : undefined
}

/** The names of the server scenarios that `selection` stands for, scored or not. */
export function listScenarios(runtime, selection) {
  const { status, stdout, stderr } = spawnSync(runtime, [program, 'list', '--server', ...selection], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (status !== 0) throw new Error(`the suite cannot list its scenarios: ${stderr}`)
  const names = []
  let section = ''
  for (const line of stdout.split('\n')) {
    const name = /^\s+- (\S+)/.exec(line)?.[1]
    if (!name) section = line.startsWith(' ') ? section : line
    else if (section.startsWith('Server scenarios') || line.endsWith('[server]')) names.push(name)
  }
  return names
}

/**
 * Runs the scenarios that `selection` stands for against the server at `url`.
 * @returns the checks by scenario, how the program ended, and the last of what it printed
 */
export async function runSuite(runtime, url, selection) {
  const output = mkdtempSync(join(tmpdir(), 'conformance-'))
  try {
    const args = [program, 'server', '--url', url, ...selection, '-o', output]
    const child = spawn(runtime, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } })
    const tail = keepTail(child.stdout, child.stderr)
    const code = await new Promise((settle, reject) => {
      child.once('error', reject)
      child.once('close', (status, signal) => settle(status ?? signal))
    })
    return { checks: readChecks(output), code, tail: tail() }
  } finally {
    rmSync(output, { recursive: true, force: true })
  }
}

/** The last few lines that came out of the streams, which are read to their end. */
export function keepTail(...streams) {
  let text = ''
  for (const stream of streams) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      text = (text + chunk).slice(-4000)
    })
  }
  return () => text.trim().split('\n').slice(-8).join('\n')
}

function readChecks(output) {
  const found = new Map()
  for (const name of readdirSync(output)) {
    const scenario = folder.exec(name)?.[1]
    if (scenario) found.set(scenario, parseChecks(join(output, name, 'checks.json')))
  }
  return found
}

/** A scenario that broke off leaves its folder without the file. */
function parseChecks(file) {
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  return JSON.parse(text)
}
