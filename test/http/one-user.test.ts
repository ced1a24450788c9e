// One user does everything that grows, for minutes: the server lives, its memory and its disk stay within the documented
// bounds, and another user is served. MINUTES=10 makes the long test longer.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { svg } from '../image/make.js'
import { peakMegabytes } from '../image/support.js'
import { childrenOf, directorySize, emptyFolder, HAS_PROC, residentMegabytes } from '../support/client.js'
import {
  callOf,
  type HttpServer,
  initialize,
  modernCall,
  openConnection,
  rpc,
  sendRequest,
  startProgram,
  tokenFor,
} from '../support/http-client.js'
import { pdfBomb } from '../web/pdf-bomb.js'
import { openSite, send } from '../web/site.js'

const MINUTES = Number(process.env.MINUTES ?? 1)
const MEGABYTE = 1024 * 1024
/** See docs/limits.md. */
const MOST_MEGABYTES = 700
const MOST_DISK = 800 * MEGABYTE

test.skipIf(!HAS_PROC)('a short time of everything that one user can grow', () => grow(10_000), 180_000)

test.skipIf(!HAS_PROC)(
  `${MINUTES} minutes of everything that one user can grow`,
  { tags: ['long'], timeout: (MINUTES + 5) * 60_000 },
  () => grow(MINUTES * 60_000),
)

async function grow(ms: number): Promise<void> {
  const site = await openSite()
  onTestFinished(() => site.close())
  const cwd = emptyFolder()
  const state = emptyFolder()
  const settings = { FETCH_ALLOW: site.host, BROWSER_PATH: 'off', COMMANDS_MEMORY_MB: '600', JOB_MAX_OUTPUT: '1048576' }
  const env = {
    STATE_DIR: state,
    SANDBOX: 'off',
    RATE_LIMIT: '0',
    BASH_SOFT_LIMIT_MS: '2000',
    MAX_JOBS: '8',
    ...settings,
  }
  const [ann, bob] = [tokenFor('ann', env), tokenFor('bob', env)]
  const server = await startProgram({ env, cwd })
  onTestFinished(async () => void (await server.stop()))
  const bomb = await pdfBomb(1024)
  const pdf = site.add('/bomb.pdf', (_, response) => send(response, 200, 'application/pdf', bomb))
  writeFileSync(join(cwd, 'slow.svg'), svg(`<path d="M0 0${' L9 9 L1 5'.repeat(300_000)}" stroke="red"/>`))

  const callTool = (name: string, args: object) => sendRequest(server, { ...modernCall(name, args), token: ann })
  const started = await callTool('BackgroundBash', {
    command: "while :; do head -c 5000 /dev/zero | tr '\\0' a; echo; sleep 0.2; done",
  })
  const job = Number(/\d+/.exec(started.json.result.content[0].text)?.[0])
  let round = 0
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => callTool('ReadDocs', { url: `${pdf}?${++round}` }),
    () => callTool('ReadImage', { file_path: join(cwd, 'slow.svg') }),
    () => callTool('PlanMode', { action: 'enter', goal: 'grow' }),
    () => callTool('PlanMode', { action: 'status', plan: `${++round} ${'p'.repeat(900_000)}` }),
    () =>
      callTool('TaskManager', { action: 'create', query: '', text: 'grow', steps: Array(100).fill('s'.repeat(1900)) }),
    () => callTool('Bash', { command: 'yes | head -c 30000000' }),
    () => callTool('Bash', { command: 'sleep 30' }),
    () => callTool('Bash', { command: "x=$(head -c 200000000 /dev/zero | tr '\\0' a); sleep 20" }),
    () => sendRequest(server, { ...modernCall('TaskManager', {}), body: hostileBody(++round), token: ann }),
    () => callTool('ReadBgOutput', { task_id: job, pattern: '^(a|a)*b$', tail: 100 }),
    () => callTool('SetCallback', { action: 'set', message: 'm'.repeat(1000), task_id: job, pattern: '(a+)+$b' }),
    () => openSession(server, ann),
    () => openIdleConnections(server),
  ]
  const until = Date.now() + ms
  const loops = kinds.map(async (kind) => {
    while (Date.now() < until) await kind().catch(() => undefined)
  })
  const worst = { memory: 0, commands: 0, ping: 0 }
  while (Date.now() < until) {
    const asked = performance.now()
    const { status } = await sendRequest(server, { body: rpc('ping'), token: bob })
    expect([status, server.child.exitCode]).toEqual([200, null])
    worst.ping = Math.max(worst.ping, performance.now() - asked)
    worst.memory = Math.max(worst.memory, residentMegabytes(server))
    worst.commands = Math.max(worst.commands, sumOfCommands(server))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await Promise.all(loops)
  const disk = directorySize(state)
  console.log(JSON.stringify({ ms, peak: peakMegabytes(server.child.pid), disk: disk / MEGABYTE, ...worst }))
  expect(worst.memory, JSON.stringify(worst)).toBeLessThan(MOST_MEGABYTES)
  expect(disk).toBeLessThan(MOST_DISK)
}

/** As large as a message may be, or with as many values. */
function hostileBody(round: number): string {
  const values = round % 2 === 0 ? 47_000 : 5_000_000
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TaskManager","arguments":{"action":"list","query":"","x":[${'{},'.repeat(values)}{}]}}}`
}

async function openSession(server: HttpServer, token: string): Promise<void> {
  const id = await initialize(server, '2025-06-18', { token })
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-06-18' }
  const command = 'sleep 0.1; head -c 29000 /dev/zero | tr "\\0" a'
  for (let count = 0; count < 15; count++)
    await sendRequest(server, { body: callOf('Bash', { command }, count), headers, token })
}

async function openIdleConnections(server: HttpServer): Promise<void> {
  const clients = await Promise.all(Array.from({ length: 300 }, () => openConnection(server)))
  await new Promise((resolve) => setTimeout(resolve, 6000))
  for (const { socket } of clients) socket.destroy()
}

/** Megabytes of all processes that the commands of the server have started. */
function sumOfCommands({ child }: HttpServer): number {
  const own = new Set([child.pid ?? 0, ...childrenOf(child.pid)])
  const rows = execFileSync('ps', ['-eo', 'pid,ppid,rss'], { encoding: 'utf8' }).split('\n').slice(1)
  let kilobytes = 0
  for (const row of rows) {
    const [pid = 0, parent = 0, rss = 0] = row.trim().split(/\s+/).map(Number)
    if (!own.has(parent)) continue
    own.add(pid)
    if (parent !== child.pid) kilobytes += rss
  }
  return kilobytes / 1024
}
