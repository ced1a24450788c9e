// HTTP calls a second of `serve --http --processes N` against one process. Needs PostgreSQL in DATABASE_URL. `call` is
// tools/list or ping, which need no database, or list, the tool TaskManager, which reads it.
// Every user has one connection and sends its next call when it has the answer; the two kinds of servers take turns, and
// figures are medians over rounds. The load generator is a process of its own on the same machine. With `share`, as root,
// each server process gets that share of a core, so that the load generator has a core of its own.
//   DATABASE_URL=postgres://… node bench/processes.mjs [processes=2] [users=16] [seconds=5] [rounds=7] [share=0.3]
//        [call=tools/list|ping|list]

import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const PROGRAM = resolve(import.meta.dirname, '../dist/scorpiox-code.js')
const CALLS = {
  // Without files and without the database: what HTTP, authentication and the placement of users cost.
  'tools/list': { method: 'tools/list' },
  ping: { method: 'ping' },
  list: { method: 'tools/call', params: { name: 'TaskManager', arguments: { action: 'list', query: '' } } },
}
const TICKS_PER_SECOND = 100
/** Until the code of every process is compiled. */
const WARM_UP_SECONDS = 6
const PERIOD_US = 20_000

if (process.send) await generateLoad()
else await compare()

async function compare() {
  const { DATABASE_URL } = process.env
  if (!DATABASE_URL) throw new Error('set DATABASE_URL to an empty PostgreSQL database')
  const options = Object.fromEntries(process.argv.slice(2).map((word) => word.split('=')))
  const { processes = '2', users = '16', seconds = '5', rounds = '7', share, call = 'tools/list' } = options
  if (!(call in CALLS)) throw new Error(`call is one of ${Object.keys(CALLS).join(', ')}`)
  const servers = [await startServer(1, users), await startServer(Number(processes), users)]
  for (const server of servers) server.body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...CALLS[call] })
  for (const server of servers) await measure(server, WARM_UP_SECONDS)
  const groups = share === undefined ? [] : servers.flatMap(serverPids).map((pid) => limitProcess(pid, Number(share)))
  for (let round = 0; round < Number(rounds); round++)
    for (const server of round % 2 === 0 ? servers : servers.toReversed())
      server.samples.push(await measure(server, Number(seconds)))
  console.log(
    `${availableParallelism()} cores, load average ${loadavg()[0].toFixed(1)}, ${users} users, ${rounds} rounds of ${seconds} s of ${call}`,
  )
  for (const { count, samples } of servers)
    console.log(
      `${count} process${count > 1 ? 'es' : ''}: ${median(samples, 'rate').toFixed(0)} calls/s, ` +
        `${median(samples, 'serverCpu').toFixed(0)} µs of CPU a call in the servers, ` +
        `${median(samples, 'databaseCpu').toFixed(0)} µs in PostgreSQL, ${median(samples, 'loadCpu').toFixed(0)} µs in the load generator`,
    )
  const ratios = servers[0].samples.map(({ rate }, index) => ({ ratio: servers[1].samples[index].rate / rate }))
  console.log(`ratio of calls/s, median of the rounds: ${median(ratios, 'ratio').toFixed(2)}`)
  for (const { child } of servers) child.kill('SIGTERM')
  await Promise.all(servers.map(({ child }) => once(child, 'exit')))
  await sleep(500)
  for (const group of groups) rmdirSync(group)
}

/** The processes that serve: those of a cluster, or the one. */
function serverPids({ child }) {
  const pids = serversOf(child.pid)
  return pids.length > 0 ? pids : [child.pid]
}

/** Returns the control group that the process is in. */
function limitProcess(pid, share) {
  const isOld = existsSync('/sys/fs/cgroup/cpu')
  const group = join('/sys/fs/cgroup', isOld ? 'cpu' : '', `bench-processes-${pid}`)
  mkdirSync(group)
  const quota = Math.round(PERIOD_US * share)
  if (isOld) {
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota))
  } else writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`)
  writeFileSync(join(group, 'cgroup.procs'), String(pid))
  return group
}

async function startServer(count, users) {
  const state = mkdtempSync(join(tmpdir(), 'bench-processes-'))
  const env = {
    ...process.env,
    STATE_DIR: state,
    SANDBOX: 'off',
    ACCESS_LOG: 'off',
    RATE_LIMIT: '0',
    DRAIN_SECONDS: '0',
  }
  const tokens = Array.from({ length: Number(users) }, (_, index) => createToken(`user-${index}`, env))
  const resolved = await Promise.all(tokens)
  const args = [PROGRAM, 'serve', '--http', '--port', '0', ...(count > 1 ? ['--processes', String(count)] : [])]
  const child = spawn(process.execPath, args, { env, cwd: state, stdio: ['ignore', 'pipe', 'inherit'] })
  const [greeting] = await once(child.stdout, 'data')
  child.stdout.resume()
  const port = Number(/:(\d+)\/mcp/.exec(String(greeting))[1])
  while (serversOf(child.pid).length < (count > 1 ? count : 0)) await sleep(50)
  await sleep(1500)
  return { count, child, port, tokens: resolved, samples: [] }
}

async function createToken(user, env) {
  const child = spawn(process.execPath, [PROGRAM, 'token', 'create', '--user', user, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  return JSON.parse(text).token
}

async function measure({ child, port, tokens, body }, seconds) {
  const pids = [child.pid, ...serversOf(child.pid)]
  const before = pids.map(cpuSeconds)
  const databaseBefore = databaseSeconds()
  const load = fork(import.meta.filename, { stdio: 'inherit' })
  load.send({ port, tokens, seconds, body })
  const [{ calls, elapsed, cpu }] = await once(load, 'message')
  const used = pids.reduce((sum, pid, index) => sum + cpuSeconds(pid) - before[index], 0)
  const database = databaseSeconds() - databaseBefore
  const each = (total) => (total / calls) * 1e6
  return { rate: calls / elapsed, serverCpu: each(used), loadCpu: each(cpu), databaseCpu: each(database) }
}

/** One connection for each user; resolves when the time is over. */
async function generateLoad() {
  const [{ port, tokens, seconds, body }] = await once(process, 'message')
  const started = performance.now()
  let calls = 0
  await Promise.all(tokens.map((token) => callUntil(port, { token, body }, started + seconds * 1000, () => calls++)))
  const { user, system } = process.cpuUsage()
  process.send({ calls, elapsed: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 })
  process.disconnect()
}

function callUntil(port, { token, body }, end, onAnswer) {
  const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
  const request = Buffer.from(
    `${head}mcp-protocol-version: 2025-06-18\r\naccept: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  return new Promise((done, fail) => {
    let socket
    let text = ''
    let received = 0
    /** Bytes of an answer that keeps the connection open; all of them are alike, and so only counted. */
    let usualBytes = 0
    const open = () => {
      usualBytes = 0
      socket = connect(port, '127.0.0.1', () => socket.write(request)).setNoDelay(true)
      socket.on('error', fail).on('data', receive)
    }
    const receive = (chunk) => {
      received += chunk.length
      if (usualBytes > 0 && received < usualBytes) return
      let isClosed = false
      if (received !== usualBytes) {
        text += chunk.toString('latin1')
        const length = /content-length: (\d+)/i.exec(text)?.[1]
        const at = text.indexOf('\r\n\r\n')
        if (at < 0 || length === undefined || text.length < at + 4 + Number(length)) return
        if (!text.startsWith('HTTP/1.1 200') || !text.includes('"result"')) return fail(new Error(text))
        isClosed = /^connection: close/im.test(text.slice(0, at))
        usualBytes = isClosed ? 0 : text.length
      }
      text = ''
      received = 0
      onAnswer()
      if (isClosed || performance.now() >= end) socket.destroy()
      if (performance.now() >= end) done()
      else if (isClosed) open()
      else socket.write(request)
    }
    open()
  })
}

function serversOf(pid) {
  return readdirSync(`/proc/${pid}/task/${pid}`).includes('children')
    ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number)
        .filter(isServer)
    : []
}

function isServer(pid) {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--worker')
}

/** Of the connections to the database, if it runs on this machine. */
function databaseSeconds() {
  const name = new URL(process.env.DATABASE_URL).pathname.slice(1)
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  const backends = pids.filter((pid) => commandOf(pid).startsWith('postgres:') && commandOf(pid).includes(` ${name} `))
  return backends.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}

/** Empty if it has ended. */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function median(samples, name) {
  const values = samples.map((sample) => sample[name]).toSorted((one, other) => one - other)
  return values[Math.floor(values.length / 2)]
}

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms))
}
