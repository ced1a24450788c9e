// A plain client of one server over stdio. What the server leaves behind is ended by its process id, after it was counted.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const REVISION = '2025-06-18'

export async function withServer(peer, work) {
  const [file, ...args] = peer.command
  const env = { PATH: process.env.PATH, HOME: peer.home }
  const startedAt = performance.now()
  const child = spawn(file, args, { cwd: join(peer.home, 'project'), env, stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.on('error', () => {})
  const exited = once(child, 'exit')
  const waiting = new Map()
  let lastId = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = readMessage(line)
    if (message?.method !== undefined) return
    waiting.get(message?.id)?.({ ...message, bytes: Buffer.byteLength(line) })
  })
  const client = { pid: child.pid, startedAt, request, notify, call, close, lastId: () => lastId }
  try {
    await request('initialize', {
      protocolVersion: REVISION,
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    })
    notify('notifications/initialized')
    return await work(client)
  } finally {
    child.kill('SIGKILL')
    await exited
  }

  function request(method, params) {
    const id = ++lastId
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => waiting.set(id, resolve))
  }

  function notify(method, params) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`)
  }

  async function call(tool, limit = 60_000) {
    const { result, bytes } = (await within(limit, request('tools/call', tool))) ?? {}
    const text = (result?.content ?? []).map((block) => block.text ?? '').join('\n')
    return { answered: result !== undefined, isError: result?.isError === true, text, bytes }
  }

  /** As a client does it: closes stdin, then sends signals. Resolves to what ended it. */
  async function close() {
    child.stdin.end()
    if ((await within(5000, exited)) !== undefined) return 'stdin'
    child.kill('SIGTERM')
    return (await within(5000, exited)) === undefined ? 'SIGKILL' : 'SIGTERM'
  }
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** What comes of it, or undefined where it takes longer. */
async function within(ms, promise) {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms)))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The processes with this command line. */
export function running(line) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name) === line)
    .map(Number)
}

export function endAll(line) {
  for (const pid of running(line)) process.kill(pid, 'SIGKILL')
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
  } catch {
    return ''
  }
}

function readMessage(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
