// Measures the time from `git clone` to the first tool result with the command line of the README, with an empty home and npm
// cache. Prints the seconds of each step and fails above 30.

import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MOST_SECONDS = 30

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'newcomer-'))
const home = join(folder, 'home')
const clone = join(folder, 'clone')
const shell = process.platform === 'win32'
// Any free port: the default one may be in use.
const env = { ...process.env, HOME: home, USERPROFILE: home, npm_config_cache: join(folder, 'cache'), HTTP_PORT: '0' }
const began = performance.now()
let server

try {
  mkdirSync(home)
  step('git clone', () => execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' }))
  const [first, second] = commands()
  step(first.join(' '), () => execFileSync(first[0], first.slice(1), { cwd: clone, env, shell, stdio: 'ignore' }))
  // A separate process group, so that children of npm are killed with it.
  server = spawn(second[0], second.slice(1), {
    cwd: clone,
    env,
    shell,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const at = performance.now()
  const { url, token } = await greeting(server)
  const text = await firstAnswer(url, token)
  printStep(second.join(' '), at)
  if (!text.includes('hi')) throw new Error(`the tool answered ${text}`)
  const seconds = (performance.now() - began) / 1000
  process.stdout.write(`from git clone to the first answer: ${seconds.toFixed(1)} s, at most ${MOST_SECONDS}\n`)
  process.exitCode = seconds > MOST_SECONDS ? 1 : 0
} finally {
  if (server?.pid && server.exitCode === null) process.kill(shell ? server.pid : -server.pid, 'SIGTERM')
  await new Promise((resolve) => (server && server.exitCode === null ? server.once('close', resolve) : resolve()))
  rmSync(folder, { recursive: true, force: true })
}

/** The commands of the README's command line, separated to time each. */
function commands() {
  const found = /```sh\n(npm ci) && (npm start)\n```/.exec(readFileSync(join(clone, 'README.md'), 'utf8'))
  if (!found) throw new Error('the README does not give `npm ci && npm start`')
  return found.slice(1).map((command) => command.split(' '))
}

/** The greeting of the server when it listens. */
function greeting({ stdout, stderr }) {
  return new Promise((resolve, reject) => {
    let output = ''
    const listen = (chunk) => {
      output += chunk
      const url = /https?:\/\/\S+\/mcp/.exec(output)?.[0]
      const token = /\bsxc_\S+/.exec(output)?.[0]
      if (url && token) resolve({ url, token })
    }
    stdout.on('data', listen)
    stderr.on('data', listen)
    stdout.on('end', () => reject(new Error(`the server ended: ${output}`)))
  })
}

async function firstAnswer(url, token) {
  const params = { name: 'Bash', arguments: { command: 'echo hi' } }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const body = await response.text()
  const { result } = JSON.parse(/\{.*\}/.exec(body)?.[0] ?? '{}')
  return result?.content?.[0]?.text ?? body
}

function step(name, work) {
  const at = performance.now()
  work()
  printStep(name, at)
}

function printStep(name, at) {
  process.stdout.write(`${((performance.now() - at) / 1000).toFixed(1).padStart(6)} s  ${name}\n`)
}
