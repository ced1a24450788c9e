// The bare loop around a bare spawn: reads a line, runs its command in bash, counts what that prints, answers.
// `spawnMs` is the spawn alone, until 'close': the minimum for a server that starts a shell for each command.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\n')

const run = (id, command) => {
  let bytes = 0
  const startedAt = performance.now()
  const child = spawn('bash', ['-c', command])
  child.stdout.on('data', (chunk) => (bytes += chunk.length))
  child.once('close', (exitCode) => {
    const spawnMs = performance.now() - startedAt
    answer(id, { content: [], _meta: { 'io.github.scorpiox/result': { exitCode, spawnMs, bytes } } })
  })
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'tools/call') run(id, params.arguments.command)
  else if (id !== undefined) answer(id, { serverInfo: { name: 'bare-shell', version: '1.0.0' } })
})
