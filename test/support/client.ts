// The test client: starts the real program and sends raw lines, so that nothing repairs them. Also what most tests
// need: tool calls, jobs, pids.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { eventually } from './eventually.js'
import { RUNTIME_FLAGS } from './runtime.js'

export const PROGRAM = resolve(import.meta.dirname, '../../dist/scorpiox-code.js')
export const LIBRARY = resolve(import.meta.dirname, '../../dist/library.mjs')

/** Without it, memory cannot be read and process trees are ended by their group only. */
export const HAS_PROC = existsSync('/proc/self/status')

export const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const MODERN = '2026-07-28'

// oxlint-disable-next-line typescript/no-explicit-any -- tests inspect answers of any shape
export type Json = any

/** How a client introduces itself. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
}

export const TEST_CLIENT: ClientInfo = { name: 'test', version: '0' }

export interface TestClient {
  readonly child: ChildProcessWithoutNullStreams
  /** Every line the server has printed so far, parsed. */
  readonly received: readonly Json[]
  /** Empties `received`. */
  clearReceived(): void
  stderr(): string
  write(text: string | Buffer): void
  send(message: unknown): void
  /** Sends a request and waits for its complete answer. */
  request(method: string, params?: unknown, id?: string | number): Promise<Json>
  /** Waits for the first matching line, also among those already received. */
  waitFor(fits: (message: Json) => boolean): Promise<Json>
  initialize(revision: string, capabilities?: object, client?: ClientInfo): Promise<Json>
  /** Closes stdin and waits for the exit; resolves to the exit code. */
  close(): Promise<number | null>
}

export interface StartOptions {
  /** The command; Node by default. */
  readonly file?: string
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'scorpiox-test-'))
}

/** An environment without settings of the machine. */
export function cleanEnv(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: emptyFolder(), ...extra }
}

export function startServer(options: StartOptions = {}): TestClient {
  const { file = process.execPath, args = [PROGRAM], env, cwd = emptyFolder() } = options
  const child = spawn(file, file === process.execPath ? [...RUNTIME_FLAGS, ...args] : args, {
    cwd,
    env: cleanEnv(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const received: Json[] = []
  const waiting = new Set<{ fits(message: Json): boolean; resolve(message: Json): void; reject(error: Error): void }>()
  let errors = ''
  let lastId = 1000
  let ended = false
  const exited = once(child, 'exit').then(([code]: unknown[]) => (typeof code === 'number' ? code : null))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  child.stdin.on('error', () => {})
  const take = (line: string): void => {
    const message: Json = JSON.parse(line)
    received.push(message)
    for (const waiter of waiting) {
      if (!waiter.fits(message)) continue
      waiting.delete(waiter)
      waiter.resolve(message)
    }
  }
  let rest = ''
  // Split by hand: readline also ends a line at characters that may occur in JSON.
  child.stdout
    .setEncoding('utf8')
    .on('data', (text: string) => {
      const end = text.lastIndexOf('\n')
      if (end >= 0) (rest + text.slice(0, end)).split('\n').forEach(take)
      rest = end < 0 ? rest + text : text.slice(end + 1)
    })
    .on('close', () => {
      ended = true
      for (const waiter of waiting) waiter.reject(new Error(`the server ended without answering; stderr: ${errors}`))
    })

  const client: TestClient = {
    child,
    received,
    clearReceived: () => void received.splice(0),
    stderr: () => errors,
    write: (text) => void child.stdin.write(text),
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    request(method, params, id = ++lastId) {
      client.send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) })
      return client.waitFor((message) => message.id === id && !('method' in message))
    },
    waitFor(fits) {
      const seen = received.find(fits)
      if (seen !== undefined) return Promise.resolve(seen)
      if (ended) return Promise.reject(new Error(`the server has ended; stderr: ${errors}`))
      return new Promise((resolve_, reject) => waiting.add({ fits, resolve: resolve_, reject }))
    },
    async initialize(revision, capabilities = {}, clientInfo = TEST_CLIENT) {
      const answer = await client.request('initialize', { protocolVersion: revision, capabilities, clientInfo })
      client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
      return answer
    },
    async close() {
      child.stdin.end()
      const code = await exited
      // Its last lines may still be in the pipe. Many short waits, because a long one that has expired when this
      // process gets the CPU again would end before the pipe is read. A child of the server can keep the pipe open.
      for (let wait = 0; wait < 20 && !child.stdout.closed; wait++) await sleep(50)
      return code
    },
  }
  return client
}

/** The metadata in a result of our tools. */
export function resultData(result: Json): Json {
  return result?._meta?.['io.github.scorpiox/result']
}

/** Whether a process runs; a zombie still has a pid, but counts as exited. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (!HAS_PROC) return true
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The child processes of a process, of all its threads. */
export function childrenOf(pid: number | undefined): readonly number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'))
    return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  } catch {
    // It has exited.
    return []
  }
}

/** Of a server on any transport. */
export function residentMegabytes({ child }: { readonly child: { readonly pid?: number | undefined } }): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
}

/** The `_meta` that makes a request modern. */
export function modernMeta(extra: object = {}): object {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      ...extra,
    },
  }
}

// Shared by the shell tests: a tool call and its texts.

export interface ToolResult {
  readonly text: string
  readonly isError: boolean
  readonly structured: Json
  readonly content: readonly Json[]
}

export async function call(client: TestClient, name: string, args: object = {}, meta?: object): Promise<ToolResult> {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) }
  return toolResultOf(await client.request('tools/call', params))
}

export function toolResultOf({ result, error }: Json): ToolResult {
  if (error !== undefined) throw new Error(`the call was answered with an error: ${JSON.stringify(error)}`)
  const { content, isError } = result
  return { text: content[0].text, isError, structured: resultData(result), content }
}

/** The started job. */
export async function startJob(client: TestClient, command: string): Promise<number> {
  const { structured, text } = await call(client, 'BackgroundBash', { command })
  if (structured === undefined) throw new Error(text)
  return structured.task_id
}

export const readJob = (client: TestClient, id: number, more: object = {}): Promise<ToolResult> =>
  call(client, 'ReadBgOutput', { task_id: id, ...more })

/** Without the notes in brackets after an output. */
export function outputOf({ text }: ToolResult): string {
  return text.replace(/(^|\n)(\[[^\n]*\]\n?)+$/, '$1')
}

/** The pid that a command writes to a file. */
export async function readPid(path: string): Promise<number> {
  const read = (): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  return Number(await eventually(read, (text) => text.endsWith('\n')))
}

export async function waitForExit(...pids: readonly number[]): Promise<void> {
  await eventually(
    () => pids.filter(isAlive),
    (running) => running.length === 0,
  )
}

/** Kills with SIGKILL and waits for the exit. */
export async function killServer({ child }: TestClient): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Bytes of all files below a folder. */
export function directorySize(folder: string): number {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.reduce((sum, name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false })
    return sum + (stat?.isDirectory() ? directorySize(join(folder, name)) : (stat?.size ?? 0))
  }, 0)
}

// Shared by the task tests: a tool call, on a state that several servers may use.

export interface ServerEnvironment {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export function newEnvironment(more: NodeJS.ProcessEnv = {}): ServerEnvironment {
  return { cwd: emptyFolder(), env: cleanEnv({ STATE_DIR: emptyFolder(), ...more }) }
}

export function startServerIn({ cwd, env }: ServerEnvironment): TestClient {
  return startServer({ cwd, env })
}

export function task(client: TestClient, action: string, more: Json = {}): Promise<ToolResult> {
  return call(client, 'TaskManager', { action, query: '', ...more })
}
