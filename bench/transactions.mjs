// Transactions of PostgreSQL for each kind of call of a server that is one of several machines: those that write (each
// takes a number of a transaction, and a commit on disk) and all of them. What an idle machine does is subtracted.
//   DATABASE_URL=postgres://… node bench/transactions.mjs [calls=50]

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import timers from 'node:timers/promises'

import pg from 'pg'

const PROGRAM = resolve(import.meta.dirname, '../dist/scorpiox-code.js')
/** Idle sessions report their transactions within this time. */
const FLUSH_MS = 11_000
const { DATABASE_URL } = process.env
if (!DATABASE_URL) throw new Error('set DATABASE_URL to an empty PostgreSQL database')
const calls = Number(/calls=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 50)

/** @type {readonly [string, object][]} */
const KINDS = [
  ['tools/list', { method: 'tools/list' }],
  ['Bash', tool('Bash', { command: 'true' })],
  ['BackgroundBash that ends', tool('BackgroundBash', { command: 'true' })],
  ['ListBgTasks', tool('ListBgTasks', {})],
  ['TaskManager list', tool('TaskManager', { action: 'list', query: '' })],
  ['TaskManager create', tool('TaskManager', { action: 'create', query: '', text: 'a task' })],
  ['SetCallback', tool('SetCallback', { action: 'set', message: 'later', delay_seconds: 3600 })],
  [
    'initialize (2025-06-18)',
    {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
    },
  ],
]

const state = mkdtempSync(join(tmpdir(), 'bench-transactions-'))
const env = {
  ...process.env,
  STATE_DIR: state,
  SANDBOX: 'off',
  ACCESS_LOG: 'off',
  RATE_LIMIT: '0',
  HTTP_TOKEN: 'bench',
  DRAIN_SECONDS: '0',
}
const port = 20_000 + Math.floor(Math.random() * 20_000)
const child = spawn(process.execPath, [PROGRAM, 'serve', '--http', '--port', String(port)], {
  env: { ...env, ADVERTISE_URL: `http://127.0.0.1:${port}` },
  cwd: state,
  stdio: ['ignore', 'pipe', 'inherit'],
})
await once(child.stdout, 'data')
child.stdout.resume()
const database = new pg.Client(DATABASE_URL)
await database.connect()
for (const [, message] of KINDS) await send(message)
const idle = await count(() => Promise.resolve())
console.log(
  `idle: ${(idle.writes / idle.seconds).toFixed(2)} writes/s, ${(idle.all / idle.seconds).toFixed(2)} transactions/s for one machine`,
)
for (const [name, message] of KINDS) {
  const { writes, all, seconds } = await count(async () => {
    for (let call = 0; call < calls; call++) await send(message)
  })
  const perCall = (used, rest) => ((used - (rest / idle.seconds) * seconds) / calls).toFixed(1)
  console.log(`${name}: ${perCall(writes, idle.writes)} writes, ${perCall(all, idle.all)} transactions a call`)
}
await database.end()
child.kill('SIGTERM')
await once(child, 'exit')

function tool(name, args) {
  return { method: 'tools/call', params: { name, arguments: args } }
}

async function send(message) {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer bench',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
}

async function count(work) {
  const before = await read()
  await work()
  await timers.setTimeout(FLUSH_MS)
  const after = await read()
  // The readings themselves are transactions: each has one of either kind.
  return {
    writes: after.writes - before.writes - 1,
    all: after.all - before.all - 2,
    seconds: (after.at - before.at) / 1000,
  }
}

async function read() {
  const { rows } = await database.query(
    `SELECT txid_current() AS writes, (SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()) AS all`,
  )
  return { writes: Number(rows[0].writes), all: Number(rows[0].all), at: performance.now() }
}
