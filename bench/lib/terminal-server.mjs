// A server in an empty folder with an empty home, or in that of another one, and calls over stdio. Used by the benchmarks of
// terminals and of the console, and the stress test of terminals.

import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../dist/scorpiox-code.js', import.meta.url))
/** For the executable: `PROGRAM=dist/scorpiox-code`. */
const COMMAND = process.env.PROGRAM ? [process.env.PROGRAM] : [process.execPath, PROGRAM]

export async function startServer(folder = mkdtempSync(join(tmpdir(), 'scorpiox-bench-'))) {
  const [file, ...flags] = COMMAND
  const child = spawn(file, flags, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const waiting = new Map()
  let rest = ''
  let lastId = 0
  child.stdin.on('error', () => {})
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const message of lines.map((line) => JSON.parse(line))) waiting.get(message.id)?.(message)
  })
  const request = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`)
    })
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '0' },
  })
  return {
    pid: child.pid,
    folder,
    exited,
    request,
    async call(name, args) {
      const { result } = await request('tools/call', { name, arguments: args })
      const data = result._meta?.['io.github.scorpiox/result'] ?? {}
      return { text: result.content[0].text, id: data.task_id, data }
    },
    close: () => child.stdin.end(),
    kill: (signal) => child.kill(signal),
  }
}
