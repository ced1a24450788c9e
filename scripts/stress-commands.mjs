// Runs many commands through the built server on a loaded machine and counts wrong results, next to busy processes and
// forking loops that exhaust the range of process IDs within a minute.
//
//   npm run stress:commands -- [--count 10000] [--parallel 20] [--busy 6] [--forking 3] [--command 'sleep 1; echo {}']
//
// `{}` in the command is replaced by its number. Exits with 1 if a result was wrong.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const PROGRAM = join(import.meta.dirname, '../dist/scorpiox-code.js')
const BUSY_LOOP = 'while :; do :; done'
const FORK_LOOP = 'while :; do for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true & done; wait; done'
const REPORT_EVERY_MS = 10_000
const MAX_SHOWN = 10

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    parallel: { type: 'string', default: '20' },
    busy: { type: 'string', default: '6' },
    forking: { type: 'string', default: '3' },
    command: { type: 'string', default: 'sleep 1; echo {}' },
    timeout: { type: 'string', default: '120000' },
  },
})
const [count, parallel, busy, forking, timeout] = [
  values.count,
  values.parallel,
  values.busy,
  values.forking,
  values.timeout,
].map(Number)

const folder = mkdtempSync(join(tmpdir(), 'scorpiox-stress-'))
const load = [
  ...Array.from({ length: busy }, () => BUSY_LOOP),
  ...Array.from({ length: forking }, () => FORK_LOOP),
].map((script) => spawn('bash', ['-c', script], { stdio: 'ignore', detached: true }))
const server = startServer()
process.on('exit', cleanUp)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))

const startedAt = performance.now()
const wrong = []
let answered = 0
let next = 0
const report = setInterval(() => console.log(progress()), REPORT_EVERY_MS)
await server.request('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'stress', version: '1' },
})
server.send({ method: 'notifications/initialized' })
await Promise.all(Array.from({ length: parallel }, runCommands))
clearInterval(report)
console.log(progress())
for (const { number, answer } of wrong.slice(0, MAX_SHOWN)) console.log(`${number}: ${JSON.stringify(answer)}`)
process.exit(wrong.length === 0 ? 0 : 1)

async function runCommands() {
  while (next < count) {
    const number = next++
    const command = values.command.replaceAll('{}', String(number))
    const answer = await server.request('tools/call', { name: 'Bash', arguments: { command, timeout } })
    answered++
    if (!isRight(answer, number)) wrong.push({ number, answer: answer.result ?? answer.error })
  }
}

function isRight({ result }, number) {
  const text = result?.content?.[0]?.text ?? ''
  return result?.isError !== true && text.trimEnd() === String(number)
}

function progress() {
  const seconds = (performance.now() - startedAt) / 1000
  return `${answered} of ${count} answered, ${wrong.length} wrongly, ${(answered / seconds).toFixed(1)}/s after ${seconds.toFixed(0)} s`
}

function startServer() {
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map()
  let lastId = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  child.once('exit', (code, signal) => {
    if (waiting.size === 0) return
    console.error(`the server ended (${code ?? signal}) with ${waiting.size} calls unanswered`)
    process.exit(1)
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = ++lastId
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  return { child, send, request }
}

/** Load processes and their children have their own process groups. */
function cleanUp() {
  server.child.kill('SIGTERM')
  for (const { pid } of load) {
    if (pid === undefined) continue
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Already exited.
    }
  }
  rmSync(folder, { recursive: true, force: true })
}
