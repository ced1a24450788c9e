// Counts processes that are left after terminals have ended in five ways: the program ends, KillBgTask, SIGTERM and SIGKILL
// of the server, stdin of the server closed. Each terminal has a program in the foreground and one in the background.
// `npm run stress:terminals -- [terminals for each ending] [terminals for each server] [number or name of an ending]`

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { startServer } from '../bench/lib/terminal-server.mjs'

const COUNT = Number(process.argv[2] ?? 1000)
const BATCH = Number(process.argv[3] ?? 50)
const ONLY = process.argv[4]
const WAIT_MS = 90_000
const FOREVER = 'sleep 86399 & echo ready; sleep 86399'

const ENDINGS = {
  itself: {
    command: 'sleep 86399 & echo ready; read -r _; exit 3',
    end: (server, ids) =>
      Promise.all(
        ids.map(async (id) => {
          const { text } = await server.call('ReadBgOutput', { task_id: id, keys: ['enter'], wait_for_end: true })
          if (!/exit code 3/.test(text)) console.log(`task ${id}: ${text}`)
        }),
      ),
  },
  KillBgTask: {
    command: FOREVER,
    end: (server, ids) => Promise.all(ids.map((id) => server.call('KillBgTask', { task_id: id }))),
  },
  SIGTERM: { command: FOREVER, end: (server) => server.kill('SIGTERM') },
  SIGKILL: { command: FOREVER, end: (server) => server.kill('SIGKILL') },
  'stdin closed': { command: FOREVER, end: (server) => server.close() },
}

let total = 0
for (const [index, [name, ending]] of Object.entries(ENDINGS).entries()) {
  if (ONLY !== undefined && ![name, String(index + 1)].includes(ONLY)) continue
  const startedAt = performance.now()
  let left = 0
  for (let done = 0; done < COUNT; done += BATCH) left += await endBatch(ending, Math.min(BATCH, COUNT - done))
  console.log(
    `${name}: ${COUNT} terminals, ${left} processes left, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  )
  total += left
}
process.exitCode = total === 0 ? 0 : 1

async function endBatch({ command, end }, count) {
  const server = await startServer()
  const ids = await Promise.all(
    Array.from({ length: count }, async () => (await server.call('BackgroundBash', { command, tty: true })).id),
  )
  await Promise.all(ids.map((id) => server.call('ReadBgOutput', { task_id: id, wait_for_pattern: 'ready' })))
  const running = findProcesses(server.folder).length
  if (running < 3 * count)
    throw new Error(`${running} processes of ${count} terminals are running; not all were started`)
  await end(server, ids)
  const left = await waitForNone(server)
  server.close()
  await server.exited
  for (const pid of findProcesses(server.folder)) process.kill(pid, 'SIGKILL')
  rmSync(server.folder, { recursive: true, force: true })
  return left
}

/** Processes of the terminals, and of a server that was ended. */
async function waitForNone(server) {
  let left = []
  for (const deadline = performance.now() + WAIT_MS; performance.now() < deadline; await sleep(100)) {
    left = findProcesses(server.folder).filter((pid) => isOfTerminal(pid) || !isAlive(server.pid))
    if (left.length === 0) return 0
  }
  console.log(left.map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`).join('\n'))
  return left.length
}

/** By the home of the server in their environment. */
function findProcesses(folder) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).includes(folder))
    .map(Number)
}

function isOfTerminal(pid) {
  return /^(script|sleep)\0|\0-c\0/.test(read(`/proc/${pid}/cmdline`).replace(/^[^\0]*\//, '')) && hasTag(pid)
}

/** Each command of the server has a tag in its environment; prepared shells have none yet. */
function hasTag(pid) {
  return read(`/proc/${pid}/environ`).includes('SCORPIOX_TREE=')
}

function isAlive(pid) {
  return read(`/proc/${pid}/stat`) !== ''
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
