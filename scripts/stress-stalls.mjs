// Measures how long one user can stall the server for another. Starts the built server over HTTP with a token for each;
// one sends hostile requests while the other sends a `ping` every few milliseconds from a process of its own.
//
//   npm run stress:stalls -- [--seconds 8] [--only bodies,patterns] [--program dist/scorpiox-code.js] [--record]
//
// Prints for each attack the p50, p99 and longest ping, the p99 delay of the pinging process itself, the p99 and longest
// turn of the server's event loop in CPU time, which does not depend on other load, the largest memory of the server and
// the load, beside the figures of scripts/stress-stalls.json; --record replaces those. Exits with 1 if a p99 of pings is
// above --limit (100 ms).

import { execFileSync, fork, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const RECORD = join(import.meta.dirname, 'stress-stalls.json')
const MAX_BODY = 16 * 1024 * 1024 - 1024
const PING_EVERY_MS = 10
/** Runs in the server: writes the CPU time of its main thread between two ticks of a timer, one line each. */
const MONITOR = `
const { appendFileSync, readFileSync } = require('node:fs')
if (process.argv.includes('serve') && process.platform === 'linux') {
  const cpu = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  let turns = []
  let last = cpu()
  setInterval(() => {
    const now = cpu()
    turns.push((now - last).toFixed(1))
    last = now
  }, 5).unref()
  setInterval(() => appendFileSync(process.env.TURNS_FILE, turns.splice(0).join('\\n') + '\\n'), 200).unref()
}`
/** What a body may hold besides one string. */
const MANY_VALUES = 95_000

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    program: { type: 'string', default: join(import.meta.dirname, '../dist/scorpiox-code.js') },
    limit: { type: 'string', default: '100' },
    record: { type: 'boolean', default: false },
    pinger: { type: 'string' },
  },
})
if (options.pinger === undefined) await main()
else await sendPings(JSON.parse(options.pinger))

async function main() {
  const rows = {}
  const attacks = createAttacks()
  const chosen = options.only === '' ? Object.keys(attacks) : options.only.split(',')
  for (const name of chosen) {
    rows[name] = await measure(attacks[name])
    console.log(formatRow(name, rows[name], readRecord()[name]))
  }
  if (options.record) writeFileSync(RECORD, `${JSON.stringify({ ...readRecord(), ...rows }, undefined, 2)}\n`)
  const slow = Object.values(rows).filter(({ p99, ended }) => ended || !(p99 <= Number(options.limit)))
  process.exit(slow.length === 0 ? 0 : 1)
}

/** Each prepares what it needs and returns a function that sends one request of the hostile user. */
function createAttacks() {
  return {
    nothing: () => ({ parallel: 0, send: async () => {} }),
    bodies: () => {
      const bodies = hostileBodies()
      return { parallel: 8, send: ({ post }, count) => post(bodies[count % bodies.length]) }
    },
    'held bodies': () => {
      const junk = `[${'{},'.repeat(MANY_VALUES / 2)}{}]`
      const body = (count) =>
        `{"jsonrpc":"2.0","id":${count},"method":"tools/call","params":{"name":"Bash","arguments":{"command":"sleep 5","timeout":6000,"junk":${junk}}}}`
      return { parallel: 40, send: ({ post }, count) => post(body(count)) }
    },
    patterns: async (user) => {
      const id = await startJob(user, `head -c 200000 /dev/zero | tr '\\0' a | fold -w 5000; sleep 600`)
      const sources = ['^(a|a)*b$', '(a+)+$b', '(.*)(.*)(.*)(.*)(.*)(.*)b', '(?=(a+)+b)x', '(\\w+\\s?)*!$']
      return {
        parallel: 20,
        send: ({ call }, count) =>
          call('ReadBgOutput', { task_id: id, pattern: sources[count % sources.length], tail: 100 }),
      }
    },
    waits: async (user) => {
      const id = await startJob(user, `while :; do head -c 5000 /dev/zero | tr '\\0' a; echo; sleep 0.2; done`)
      for (let slot = 0; slot < 8; slot++)
        await user.call('SetCallback', {
          action: 'set',
          message: 'x',
          task_id: id,
          pattern: '(a|a)*b$',
          repeat_count: -1,
        })
      return {
        parallel: 10,
        send: ({ call }) => call('ReadBgOutput', { task_id: id, wait_for_pattern: '(a+)+$b', wait_ms: 2000 }),
      }
    },
    skills: (user) => {
      writeHostileSkills(user.project)
      return {
        parallel: 4,
        send: ({ call, rpc }, count) =>
          count % 4 === 0 ? rpc('tools/list', {}) : call('InvokeSkill', { skill_name: `hostile-${count % 40}` }),
      }
    },
    flood: () => ({ parallel: 100, send: ({ rpc }, count) => rpc(count % 2 === 0 ? 'tools/list' : 'ping', {}) }),
    calls: () => ({
      parallel: 100,
      send: ({ call }, count) =>
        call('TaskManager', { action: 'create', text: `task ${count}`, steps: ['x', 'y'], query: '' }),
    }),
    rules: (user) => {
      writePermissionRules(user.project)
      const commands = [
        `find . ${'-exec a \\; '.repeat(1700)}`,
        `ls ${'{a,'.repeat(6000)}`,
        `ls ${'<('.repeat(9000)}`,
        '$('.repeat(9000),
        'git $x --hard;'.repeat(1400),
        `git ${'$x '.repeat(6600)}`,
        `ls ${'a '.repeat(200_000)}`,
      ]
      return { parallel: 4, send: ({ call }, count) => call('Bash', { command: commands[count % commands.length] }) }
    },
    batches: () => {
      const one = (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{}}`
      const batch = `[${Array.from({ length: 300 }, (_, id) => one(id)).join(',')}]`
      return { parallel: 10, send: ({ post }) => post(batch, { 'mcp-protocol-version': '2025-03-26' }) }
    },
  }
}

function hostileBodies() {
  const wrap = (value, id = '1') =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"TaskManager","arguments":{"action":"list","query":"","x":${value}}}}`
  const list = (length, make) => Array.from({ length }, (_, at) => make(at)).join(',')
  return [
    wrap(`[${'{},'.repeat(MAX_BODY / 3)}{}]`),
    wrap(`[${'{},'.repeat(MANY_VALUES / 2)}{}]`),
    wrap(`[${'[],'.repeat(MAX_BODY / 3)}[]]`),
    wrap(`"${'x'.repeat(MAX_BODY - 200)}"`),
    wrap(`"${'x'.repeat(MAX_BODY - 300)}가"`),
    wrap(`"${'\\"'.repeat(MAX_BODY / 2 - 100)}"`),
    wrap(`"${'\\\\'.repeat(MAX_BODY / 2 - 100)}"`),
    wrap(`1${' '.repeat(MAX_BODY - 200)}`, `1${'0'.repeat(30)}`),
    wrap('1'.repeat(MAX_BODY - 200)),
    wrap('1', '1'.repeat(MAX_BODY - 200)),
    wrap('1', '1'.repeat(4_000_000)),
    wrap(`{${list(MANY_VALUES, (at) => `"k${at}":1`)}}`),
    wrap(`[${list(MANY_VALUES / 2, (at) => `{"k${at}":1}`)}]`),
    wrap(`{${list(20_000, (at) => `"k${at}":1`)}}`),
    wrap('['.repeat(MAX_BODY - 200)),
    wrap(`[${list(MANY_VALUES, (at) => `"${at}${'y'.repeat(150)}"`)}]`),
  ].map((text) => Buffer.from(text))
}

/** Every command is evaluated, then refused, because no person can be asked. */
function writePermissionRules(project) {
  mkdirSync(join(project, '.scorpiox'), { recursive: true })
  const permissions = { deny: ['Bash(rm -rf *)', 'Bash(git * --hard * x)', 'Bash(* -exec * y)'], ask: ['Bash'] }
  writeFileSync(join(project, '.scorpiox/permissions.json'), JSON.stringify({ permissions }))
}

function writeHostileSkills(project) {
  const shapes = [
    `---\nname: x\ndescription: ${' '.repeat(60_000)}x\n---\nbody`,
    `---\nname: x\ndescription: y\n---\n#!${'a'.repeat(900_000)}\u2028b\n`,
    `---\nname: x\ndescription: ${'- '.repeat(30_000)}\n---\n#! ${'\t'.repeat(400_000)}x\u2028\n`,
    `---\n${'description: \t \t#\n'.repeat(3000)}---\nbody`,
    `---\nname: ${'['.repeat(30_000)}\ndescription: "${'\\'.repeat(30_000)}\n---\nbody`,
    `---\n${' '.repeat(60_000)}\n---`,
  ]
  for (let at = 0; at < 200; at++) {
    const folder = join(project, '.claude/skills', `hostile-${at}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'SKILL.md'), shapes[at % shapes.length])
  }
}

async function startJob(user, command) {
  const { text } = await user.call('BackgroundBash', { command })
  const id = Number(/task[^\d]*(\d+)/i.exec(text)?.[1])
  if (!id) throw new Error(`no job was started: ${text}`)
  await new Promise((done) => setTimeout(done, 1000))
  return id
}

async function measure(prepare) {
  const home = mkdtempSync(join(tmpdir(), 'scorpiox-stalls-'))
  const project = join(home, 'project')
  mkdirSync(project)
  const turnsFile = join(home, 'turns')
  const monitor = join(home, 'monitor.cjs')
  writeFileSync(monitor, MONITOR)
  const env = { PATH: process.env.PATH, HOME: home, ACCESS_LOG: 'off' }
  const program = resolve(options.program)
  const tokenOf = (user) =>
    JSON.parse(execFileSync(process.execPath, [program, 'token', 'create', '--user', user, '--json'], { env })).token
  const [hostile, other] = [tokenOf('mallory'), tokenOf('alice')]
  const monitored = { ...env, NODE_OPTIONS: `--require ${monitor}`, TURNS_FILE: turnsFile }
  const server = await startServer(program, project, monitored)
  try {
    const user = createClient(server.port, hostile, project)
    await user.rpc('ping', {})
    const { parallel, send } = await prepare(user)
    const pinger = startPinger(server.port, other)
    await pinger.next()
    // The turns of the start do not count.
    writeFileSync(turnsFile, '')
    const counts = await attack(user, parallel, send, Number(options.seconds) * 1000)
    const { pings, delays } = await pinger.stop()
    const { p50, p99, max } = summarize(pings)
    const turns = summarize(readFileSync(turnsFile, 'utf8').split('\n').filter(Boolean).map(Number))
    const [load] = loadavg()
    return {
      p50,
      p99,
      max,
      pings: pings.length,
      noise: summarize(delays).p99,
      turnP99: turns.p99,
      turnMax: turns.max,
      requests: counts.answered,
      refused: counts.refused,
      peakMb: peakMegabytes(server.child.pid),
      ended: server.child.exitCode !== null || server.child.signalCode !== null,
      load: Number(load.toFixed(1)),
    }
  } finally {
    server.child.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function attack(user, parallel, send, ms) {
  const endsAt = performance.now() + ms
  const counts = { answered: 0, refused: 0 }
  let next = 0
  const run = async () => {
    while (performance.now() < endsAt) {
      try {
        const { status } = (await send(user, next++)) ?? {}
        if (status === 429) {
          counts.refused++
          await new Promise((done) => setTimeout(done, 50))
        } else counts.answered++
      } catch {
        counts.refused++
        await new Promise((done) => setTimeout(done, 50))
      }
    }
  }
  const running = Promise.all(Array.from({ length: parallel }, run))
  await Promise.race([running, new Promise((done) => setTimeout(done, ms))])
  if (parallel === 0) await new Promise((done) => setTimeout(done, ms))
  return counts
}

function createClient(port, token, project) {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const post = (body, more = {}) =>
    new Promise((done, fail) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': '2025-11-25',
        ...more,
      }
      const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => (text = text.length > 100_000 ? text : text + chunk))
        response.once('close', () => done({ status: response.statusCode, text }))
      })
      sent.once('error', fail)
      sent.end(body)
    })
  const rpc = (method, params) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return { project, post, rpc, call: (name, args) => rpc('tools/call', { name, arguments: args }) }
}

async function startServer(program, cwd, env) {
  const args = [program, 'serve', '--http', '--port', '0', '--no-sandbox']
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise((found, fail) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const [, number] = /:(\d+)\/mcp\b/.exec(text) ?? []
      if (number !== undefined) found(Number(number))
    })
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}: ${text}`)))
  })
  return { child, port }
}

/** Pings from another process, because this one is busy with the attack. */
function startPinger(port, token) {
  const pinger = fork(import.meta.filename, ['--pinger', JSON.stringify({ port, token })])
  const next = () => new Promise((done) => pinger.once('message', done))
  return {
    next,
    async stop() {
      pinger.send('stop')
      return next()
    },
  }
}

async function sendPings({ port, token }) {
  const client = createClient(port, token)
  const pings = []
  const delays = []
  const stop = new AbortController()
  process.on('message', () => stop.abort())
  await client.rpc('ping', {})
  process.send({ ready: true })
  const waiting = new Set()
  while (!stop.signal.aborted) {
    // A ping is sent although earlier ones are not answered: a stall must count for each of them.
    const startedAt = performance.now()
    const one = client.rpc('ping', {}).then(
      ({ status }) => void pings.push(status === 200 ? performance.now() - startedAt : Infinity),
      () => void pings.push(Infinity),
    )
    waiting.add(one)
    void one.then(() => waiting.delete(one))
    await new Promise((done) => setTimeout(done, PING_EVERY_MS))
    delays.push(performance.now() - startedAt - PING_EVERY_MS)
  }
  await Promise.race([Promise.all(waiting), new Promise((done) => setTimeout(done, 60_000))])
  for (const _ of waiting) pings.push(60_000)
  process.send({ pings: pings.map((ms) => (Number.isFinite(ms) ? ms : 60_000)), delays })
  process.disconnect()
  process.exit(0)
}

function summarize(pings) {
  const sorted = pings.toSorted((a, b) => a - b)
  const at = (share) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(1))
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

function peakMegabytes(pid) {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  } catch {
    return undefined
  }
}

function readRecord() {
  try {
    return JSON.parse(readFileSync(RECORD, 'utf8'))
  } catch {
    return {}
  }
}

function formatRow(name, row, before) {
  const { p50, p99, max, pings, noise, turnP99, turnMax, requests, refused, peakMb, ended, load } = row
  const recorded = before ? `   recorded p99 ${before.p99} ms at load ${before.load}` : ''
  return (
    `${name.padEnd(12)} ping p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms (${pings}, noise ${noise}); turn p99 ${turnP99} ms, longest ${turnMax} ms CPU; ` +
    `${requests} requests, ${refused} refused; server ${ended ? 'ENDED' : `${peakMb} MB at most`}; load ${load}${recorded}`
  )
}
