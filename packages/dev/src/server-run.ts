// One run of the server under development: its process and the client that is connected to it, from the start to the
// exit. Used by inspector.ts, which starts a run for each change. Starts processes through server-process.ts.

import { pathToFileURL } from 'node:url'

import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import type { InvalidLine } from '@scorpiox/mcp/stdio/line-reader'

import { ProtocolClient, type RequestOptions, unknownMethod } from './protocol-client.js'
import type { ServerCommand } from './server-command.js'
import { startServerProcess } from './server-process.js'
import type { ConnectedServer, RpcOutcome, ServerOffers } from './view.js'

const MAX_PAGES = 100
const SLOW_MS = 10_000
/** Requests of the server that a person answers. */
const ASKED = new Set(['elicitation/create', 'sampling/createMessage'])

export const NO_OFFERS: ServerOffers = { tools: [], resources: [], templates: [], prompts: [], problems: [] }

export interface ServerRunListener {
  /** `message` is undefined if the text is not JSON. */
  onMessage(isSent: boolean, text: string, message: unknown): void
  onErrorLine(text: string): void
  onConnected(server: ConnectedServer): void
  onOffers(offers: ServerOffers): void
  /** The server cannot be used; it may still run. `message` is a sentence. */
  onProblem(message: string, isFinal: boolean): void
  onQuestion(method: string, params: JsonObject, signal: AbortSignal): Promise<RpcOutcome>
  onNotification(method: string, params: JsonObject): void
}

export interface ServerRun {
  request(method: string, params: JsonObject, options: RequestOptions): Promise<RpcOutcome>
  /** Nothing is reported after it was called. */
  stop(): Promise<void>
}

export function startServerRun(command: ServerCommand, revision: string, listener: ServerRunListener): ServerRun {
  let isStopped = false
  let hasExited = false
  let isConnected = false
  const client = new ProtocolClient(revision, {
    send(message) {
      const text = JSON.stringify(message)
      child.send(text)
      listener.onMessage(true, text, message)
    },
    onRequest: (method, params, signal) => answerRequest(command, listener, method, params, signal),
    onNotification(method, params) {
      listener.onNotification(method, params)
      if (/^notifications\/\w+\/list_changed$/.test(method)) void readOffers()
    },
  })

  function receive(line: string | InvalidLine): void {
    if (isStopped) return
    const text = typeof line === 'string' ? line : line.reason
    const message = typeof line === 'string' ? tryParseJson(line) : undefined
    listener.onMessage(false, text, message)
    // Servers of 2025-03-26 may answer with batches.
    for (const each of Array.isArray(message) ? message : [message]) if (isJsonObject(each)) client.receive(each)
  }

  const child = startServerProcess(command, {
    onLine: receive,
    onErrorLine: (line) => void (isStopped || listener.onErrorLine(line)),
    onExit(reason) {
      hasExited = true
      client.close(`The server ${reason}.`)
      clearTimeout(slow)
      if (!isStopped) listener.onProblem(`The server ${reason}.`, true)
    },
  })

  let serverCapabilities: JsonObject = {}
  async function readOffers(): Promise<void> {
    const offers = await listOffers(client, serverCapabilities)
    if (!isStopped) listener.onOffers(offers)
  }

  async function connect(): Promise<void> {
    const server = await client.connect()
    clearTimeout(slow)
    // An exit was reported already.
    if (isStopped || hasExited) return
    if (typeof server === 'string') return listener.onProblem(server, true)
    isConnected = true
    serverCapabilities = server.capabilities
    listener.onConnected(server)
    await readOffers()
  }

  const slow = setTimeout(() => {
    if (!isStopped && !isConnected) listener.onProblem(describeSlowStart(revision), false)
  }, SLOW_MS)
  void connect()

  return {
    request: (method, params, options) => client.request(method, params, options),
    async stop() {
      isStopped = true
      clearTimeout(slow)
      client.close('The server was restarted.')
      await child.stop()
    },
  }
}

function describeSlowStart(revision: string): string {
  const method = revision >= '2026' ? 'server/discover' : 'initialize'
  return `The server has not answered ${method} for ${SLOW_MS / 1000} s. A server over stdio reads its stdin and answers on stdout, one JSON message per line.`
}

async function answerRequest(
  { cwd }: ServerCommand,
  listener: ServerRunListener,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<RpcOutcome> {
  if (method === 'ping') return { result: {} }
  if (method === 'roots/list')
    return { result: { roots: [{ uri: pathToFileURL(cwd).href, name: 'working directory' }] } }
  return ASKED.has(method) ? listener.onQuestion(method, params, signal) : unknownMethod(method)
}

async function listOffers(client: ProtocolClient, capabilities: JsonObject): Promise<ServerOffers> {
  const problems: string[] = []
  const read = async (capability: string, method: string, member: string): Promise<readonly JsonObject[]> => {
    if (!isJsonObject(capabilities[capability])) return []
    const { entries, problem } = await readList(client, method, member)
    if (problem !== undefined) problems.push(problem)
    return entries
  }
  const [tools, resources, templates, prompts] = await Promise.all([
    read('tools', 'tools/list', 'tools'),
    read('resources', 'resources/list', 'resources'),
    read('resources', 'resources/templates/list', 'resourceTemplates'),
    read('prompts', 'prompts/list', 'prompts'),
  ])
  return { tools, resources, templates, prompts, problems }
}

interface ListResult {
  readonly entries: readonly JsonObject[]
  readonly problem?: string
}

async function readList(client: ProtocolClient, method: string, member: string): Promise<ListResult> {
  const entries: JsonObject[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const outcome = await client.request(method, cursor === undefined ? {} : { cursor })
    if ('error' in outcome) {
      // Templates are optional for a server that has resources.
      const isOptional = method === 'resources/templates/list' && outcome.error.code === -32601
      return isOptional ? { entries } : { entries, problem: `${method} failed: ${outcome.error.message}` }
    }
    const list = outcome.result[member]
    if (!Array.isArray(list)) return { entries, problem: `${method} answered without a list '${member}'.` }
    entries.push(...list.filter(isJsonObject))
    cursor = outcome.result.nextCursor
    if (cursor === undefined) return { entries }
  }
  return { entries, problem: `${method} has more than ${MAX_PAGES} pages; the rest is not shown.` }
}
