// Starts the processes that are measured, and those that measure: in an empty home, with hardly any environment, and
// never left behind.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// An empty home and working directory: no settings or data of the user are read or changed.
const home = mkdtempSync(join(tmpdir(), 'bench-'))
const running = new Set()

/** A folder to work in that is not the home: no sandbox lets commands write to the whole of that. */
export const project = join(home, 'project')
mkdirSync(project)

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true, maxRetries: 3 })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

// What MCP clients pass on. NODE_EXTRA_CA_CERTS above all must stay out: it costs Node 20 some 35 ms a start.
const environment = { PATH: process.env.PATH, HOME: home }
if (process.platform === 'win32') environment.SystemRoot = process.env.SystemRoot

export const start = (command, { env, ...options } = {}) => {
  const all = { cwd: home, ...options, env: { ...environment, ...env } }
  const child = spawn(command[0], command.slice(1), all)
  running.add(child)
  const forget = () => running.delete(child)
  child.once('exit', forget)
  child.once('error', forget)
  return child
}
