// A server under measurement: started over stdio or HTTP with a state of its own, called, and observed through its
// debugger: memory, CPU time, and the longest turn of its event loop. Used by the measurements of bench/growth.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

import { WebSocket } from 'ws'

const DIST = resolve(import.meta.dirname, '../../', process.env.BENCH_DIST ?? 'dist')
const MONITOR = join(import.meta.dirname, 'loop-monitor.cjs')
const SETTLE_MS = 20

/** A folder for a state and a project, removed by `remove`. */
export function createPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-growth-'))
  const [state, cwd, home] = ['state', 'project', 'home'].map((name) => join(folder, name))
  for (const path of [state, cwd, home]) mkdirSync(path, { mode: 0o700 })
  return { state, cwd, home, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The SQLite library of the build under measurement. */
export function loadSqlite() {
  const moduleObject = { exports: {} }
  process.dlopen(moduleObject, join(DIST, `sqlite/${process.platform}-${process.arch}-usual.node`))
  return moduleObject.exports
}

/** Starts the program in a place; resolves when it is initialized. */
export async function startServer(place, { env = {} } = {}) {
  const { child, observer } = startProgram(place, env, [])
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
    ...observer,
    pid: child.pid,
    request,
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

/** Starts `serve --http` in a place; resolves when it listens. */
export async function startHttpServer(place, { env = {}, args = [] } = {}) {
  const { child, observer } = startProgram(place, { RATE_LIMIT: '0', ACCESS_LOG: 'off', DRAIN_SECONDS: '0', ...env }, [
    'serve',
    '--http',
    '--port',
    '0',
    ...args,
  ])
  const [greeting] = await once(child.stdout, 'data')
  child.stdout.resume()
  const url = `http://127.0.0.1:${/:(\d+)\/mcp/.exec(String(greeting))[1]}`
  return {
    ...observer,
    pid: child.pid,
    url,
    /** A call of a stateless client; resolves to the status and the message. */
    async request(method, params, token, headers = {}) {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-06-18',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function startProgram({ state, cwd, home }, env, args) {
  const program = [join(DIST, 'scorpiox-code.js'), ...args]
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', '--require', MONITOR, ...program], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, STATE_DIR: state, SANDBOX: 'off', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return { child, observer: createObserver(readDebuggerUrl(child.stderr)) }
}

function createObserver(url) {
  async function evaluate(expression, { isCollected = false } = {}) {
    const socket = new WebSocket(await url)
    await once(socket, 'open')
    const ask = async (method, params) => {
      socket.send(JSON.stringify({ id: 1, method, params }))
      const [data] = await once(socket, 'message')
      return JSON.parse(data).result
    }
    for (let round = 0; round < (isCollected ? 3 : 0); round += 1) await ask('HeapProfiler.collectGarbage')
    const { result } = await ask('Runtime.evaluate', { expression })
    socket.close()
    return result.value
  }
  return {
    /** Bytes of the heap and of buffers after a garbage collection. */
    retainedBytes: () =>
      evaluate('{ const { heapUsed, external } = process.memoryUsage(); heapUsed + external }', { isCollected: true }),
    /** With BENCH_CLOCK in the environment. */
    advanceClock: (ms) => evaluate(`benchClock.advance(${ms})`),
    resetLoop: () => evaluate('benchLoop.reset()'),
    /** The longest turn since the reset, `ms` and `cpuMs`, and the CPU time of the process, `totalCpuMs`. */
    readLoop: async () => JSON.parse(await evaluate('benchLoop.read()')),
  }
}

/** Runs work; resolves to its milliseconds and the longest turn of the server's event loop meanwhile. */
export async function measureBlocking(server, work) {
  await server.resetLoop()
  await sleep(SETTLE_MS)
  const started = performance.now()
  await work()
  const ms = performance.now() - started
  await sleep(SETTLE_MS)
  const { ms: blockedMs, cpuMs: blockedCpuMs } = await server.readLoop()
  return { ms, blockedMs, blockedCpuMs }
}

/** Lets a server run for a time; resolves to its share of a core and the longest turn of its event loop. */
export async function measureLoad(server, ms) {
  await server.resetLoop()
  const started = performance.now()
  const before = await server.readLoop()
  await sleep(ms)
  const { ms: blockedMs, cpuMs: blockedCpuMs, totalCpuMs } = await server.readLoop()
  return { core: (totalCpuMs - before.totalCpuMs) / (performance.now() - started), blockedMs, blockedCpuMs }
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
  for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
    text += chunk
    const [url] = /ws:\S+/.exec(text) ?? []
    if (url === undefined) continue
    stderr.resume()
    return url
  }
  throw new Error('the program has no debugger')
}
