// A server under measurement: started over stdio with a state of its own, called, and probed for how long its event loop
// is blocked. Used by the measurements of bench/growth.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

import { WebSocket } from 'ws'

const PROGRAM = resolve(import.meta.dirname, '../../', process.env.BENCH_DIST ?? 'dist', 'scorpiox-code.js')
const PING_INTERVAL_MS = 2

/** A folder for a state and a project, removed by `remove`. */
export function createPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-growth-'))
  const [state, cwd, home] = ['state', 'project', 'home'].map((name) => join(folder, name))
  for (const path of [state, cwd, home]) mkdirSync(path, { mode: 0o700 })
  return { state, cwd, home, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Starts the program in a place; resolves when it is initialized. With `inspected` its memory can be measured. */
export async function startServer({ state, cwd, home }, { env = {}, inspected = false } = {}) {
  const child = spawn(process.execPath, [...(inspected ? ['--inspect=127.0.0.1:0'] : []), PROGRAM], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, STATE_DIR: state, SANDBOX: 'off', ...env },
    stdio: ['pipe', 'pipe', inspected ? 'pipe' : 'ignore'],
  })
  const debuggerUrl = inspected ? readDebuggerUrl(child.stderr) : undefined
  const waiting = new Map()
  let id = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  function request(method, params) {
    return new Promise((done) => {
      waiting.set(++id, done)
      send({ id, method, params })
    })
  }
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  return {
    pid: child.pid,
    request,
    retainedBytes: async () => measureRetained(await debuggerUrl),
    async call(name, args = {}) {
      const { result, error } = await request('tools/call', { name, arguments: args })
      if (error || result.isError) throw new Error(JSON.stringify(error ?? result.content).slice(0, 500))
      return result
    },
    async stop() {
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    },
  }
}

/** Runs work beside pings; resolves to its milliseconds and the longest time that a ping waited beyond its usual one. */
export async function measureBlocking(server, work) {
  const usual = await medianOf(9, () => timePing(server))
  const finished = new AbortController()
  const pinging = pingUntil(server, finished.signal)
  await sleep(20)
  const started = performance.now()
  await work()
  const ms = performance.now() - started
  finished.abort()
  return { ms, blockedMs: Math.max((await pinging) - usual, 0) }
}

async function pingUntil(server, signal) {
  let longest = 0
  while (!signal.aborted) {
    longest = Math.max(longest, await timePing(server))
    await sleep(PING_INTERVAL_MS)
  }
  return longest
}

async function timePing(server) {
  const started = performance.now()
  await server.request('ping', {})
  return performance.now() - started
}

/** Milliseconds of each of several calls, one after the other, as median. */
export async function medianOf(rounds, work) {
  const times = []
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    await work(round)
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)]
}

async function readDebuggerUrl(stderr) {
  let text = ''
  for await (const chunk of stderr) {
    text += chunk
    const [url] = /ws:\S+/.exec(text) ?? []
    if (url === undefined) continue
    stderr.resume()
    return url
  }
  throw new Error('the program has no debugger')
}

/** Bytes of the heap and of buffers after a garbage collection. */
async function measureRetained(url) {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const ask = async (method, params) => {
    socket.send(JSON.stringify({ id: 1, method, params }))
    const [data] = await once(socket, 'message')
    return JSON.parse(data).result
  }
  for (let round = 0; round < 3; round += 1) await ask('HeapProfiler.collectGarbage')
  const expression = '{ const { heapUsed, external } = process.memoryUsage(); heapUsed + external }'
  const { result } = await ask('Runtime.evaluate', { expression })
  socket.close()
  return result.value
}
