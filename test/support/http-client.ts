// The test client over HTTP: starts the real program, or a server on the library, and sends requests that nothing
// repairs. Three kinds: one answer, an event stream, raw bytes.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { resolve } from 'node:path'

import { cleanEnv, emptyFolder, type Json, MODERN, PROGRAM, TEST_CLIENT } from './client.js'
import { RUNTIME_FLAGS } from './runtime.js'

const FIXTURE = resolve(import.meta.dirname, '../fixture/http-server.mjs')

export const TOKEN = 'a-token-for-tests'
export const ALICE = 'alice-key'
export const BOB = 'bob-key'

export interface HttpServer {
  readonly child: ChildProcess
  readonly port: number
  readonly url: string
  /** Its output at the start. */
  readonly greeting: string
  /** Sent with every request unless the request has its own. */
  readonly token: string
  readonly stderr: () => string
  /** The exit code, once it has exited. */
  readonly exited: Promise<number | null>
  /** Sends SIGTERM; resolves to the exit code. */
  readonly stop: () => Promise<number | null>
}

export interface HttpServerOptions {
  readonly flags?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly token?: string
  /** Whether the whole greeting has been printed, or only the address. Default: 'greeting'. */
  readonly isReady?: 'greeting' | 'address'
}

/** The program itself, by default with a fixed token, and without the access log and a limit of requests a second. */
export function startProgram({
  flags = [],
  env,
  cwd,
  token = TOKEN,
  isReady = 'greeting',
}: HttpServerOptions = {}): Promise<HttpServer> {
  const args = [PROGRAM, 'serve', '--http', '--port', '0', ...flags]
  const all = { HTTP_TOKEN: TOKEN, ACCESS_LOG: 'off', RATE_LIMIT: '0', ...env }
  return start(args, all, token, cwd, isReady === 'greeting' ? /^Stop with Ctrl\+C\.$/m : undefined)
}

/** The fixture: Alice and Bob have a key each, and there are tools that wait for the test. */
export function startFixtureServer(http: object = {}): Promise<HttpServer> {
  return start([FIXTURE], { HTTP_OPTIONS: JSON.stringify(http) }, ALICE)
}

/** Another server on the library, by the path of its script. */
export function startScript(script: string, ...args: readonly string[]): Promise<HttpServer> {
  return start([script, ...args], {}, '')
}

async function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  token: string,
  cwd = emptyFolder(),
  lastLine = /\n$/,
): Promise<HttpServer> {
  const child = spawn(process.execPath, [...RUNTIME_FLAGS, ...args], {
    cwd,
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  let greeting = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const exited = once(child, 'exit').then(([code]: unknown[]) => (typeof code === 'number' ? code : null))
  const url = await new Promise<string>((found, lost) => {
    child.stdout.on('data', (chunk: Buffer) => {
      greeting += chunk.toString()
      const [address] = /https?:\/\/\S+?\/mcp\b/.exec(greeting) ?? []
      if (address !== undefined && lastLine.test(greeting)) found(address)
    })
    void exited.then((code) => lost(new Error(`the server ended with ${code}: ${errors}`)))
  })
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM')
    return exited
  }
  const { port } = new URL(url)
  return { child, port: Number(port), url, greeting, token, stderr: () => errors, exited, stop }
}

/** A token for a user of the servers that share an environment. */
export function tokenFor(user: string, env: NodeJS.ProcessEnv): string {
  const args = [PROGRAM, 'token', 'create', '--user', user, '--json']
  return JSON.parse(execFileSync(process.execPath, args, { env: cleanEnv(env), encoding: 'utf8' })).token
}

export interface HttpRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  /** Instead of the server's; '' for none. */
  readonly token?: string
}

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** Its message: of the last event if it is a stream. */
  readonly json: Json
}

/** One request on a separate connection, and its complete answer. */
export async function sendRequest(server: HttpServer, asked: HttpRequest): Promise<HttpResponse> {
  const response = await open(server, asked)
  let text = ''
  for await (const chunk of response) text += String(chunk)
  const isStream = response.headers['content-type'] === 'text/event-stream'
  const body = isStream ? (parseEvents(text).events.at(-1)?.data ?? '') : text
  const json: Json = /^[[{]/.test(body) ? JSON.parse(body) : undefined
  return { status: response.statusCode ?? 0, headers: response.headers, text, json }
}

async function open({ port, token: usual }: HttpServer, asked: HttpRequest): Promise<IncomingMessage> {
  const { method = 'POST', path = '/mcp', headers = {}, body, token = usual } = asked
  const all = {
    ...(method === 'POST' && { 'content-type': 'application/json' }),
    accept: 'application/json, text/event-stream',
    ...(token !== '' && { authorization: `Bearer ${token}` }),
    ...headers,
  }
  const call = request({ host: '127.0.0.1', port, path, method, headers: all, agent: false })
  call.end(body)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  // A server that has answered need not read the rest of the body.
  call.on('error', () => {})
  return response
}

export interface ServerSentEvent {
  readonly event: string | undefined
  readonly id: string | undefined
  readonly retry: string | undefined
  readonly data: string
  /** The data as JSON; undefined if it is not JSON. */
  readonly json: Json
}

export interface EventStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** All events so far. */
  readonly events: readonly ServerSentEvent[]
  /** Comments so far: heartbeats. */
  readonly comments: () => number
  /** The next event that was not read yet; undefined when the stream has ended. */
  readonly next: () => Promise<ServerSentEvent | undefined>
  /** The next event with a message. */
  readonly message: () => Promise<Json>
  readonly ended: Promise<void>
  /** Breaks the connection. */
  readonly disconnect: () => void
}

/** A request whose response is a stream. */
export async function stream(server: HttpServer, asked: HttpRequest = {}): Promise<EventStream> {
  const response = await open(server, asked)
  const events: ServerSentEvent[] = []
  const waiting: (() => void)[] = []
  let text = ''
  let comments = 0
  let taken = 0
  const wake = (): void => waiting.splice(0).forEach((resume) => resume())
  response.on('data', (chunk: Buffer) => {
    const parsed = parseEvents(text + chunk.toString())
    text = parsed.rest
    comments += parsed.comments
    events.push(...parsed.events)
    wake()
  })
  response.on('error', () => {})
  const ended = once(response, 'close').then(wake)
  const next = async (): Promise<ServerSentEvent | undefined> => {
    while (taken >= events.length && !response.closed) await new Promise<void>((resume) => waiting.push(resume))
    return events[taken++]
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments: () => comments,
    next,
    async message() {
      for (let event = await next(); event !== undefined; event = await next()) {
        if (event.json !== undefined) return event.json
      }
      throw new Error('the stream ended without another message')
    },
    ended,
    disconnect: () => void response.destroy(),
  }
}

function parseEvents(text: string): { readonly events: readonly ServerSentEvent[]; comments: number; rest: string } {
  const blocks = text.split('\n\n')
  const rest = blocks.pop() ?? ''
  const isComment = (block: string): boolean => block.startsWith(':')
  const events = blocks.filter((block) => !isComment(block)).map(parseEvent)
  return { events, comments: blocks.filter(isComment).length, rest }
}

function parseEvent(block: string): ServerSentEvent {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const data = field('data') ?? ''
  const json: Json = /^[[{]/.test(data) ? JSON.parse(data) : undefined
  return { event: field('event'), id: field('id'), retry: field('retry'), data, json }
}

export interface RawClient {
  readonly socket: Socket
  readonly write: (text: string | Buffer) => void
  /** All bytes so far. */
  readonly text: () => string
  /** The same, and clears it. */
  readonly take: () => string
  /** Waits until it matches, or fails when the connection ends before. */
  readonly until: (pattern: RegExp) => Promise<string>
  /** Resolves when the server has closed the connection, in any way. */
  readonly closed: Promise<void>
}

/** Raw bytes on an unmanaged connection; it is half open, so it stays when the server ends its side. */
export async function openConnection({ port }: { readonly port: number }, allowHalfOpen = false): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.on('error', () => {})
  const closed = new Promise<void>((gone) => socket.once('close', () => gone()))
  await once(socket, 'connect')
  return {
    socket,
    closed,
    text: () => text,
    take() {
      const taken = text
      text = ''
      return taken
    },
    write: (bytes) => void socket.write(bytes),
    until: (pattern) =>
      new Promise((found, lost) => {
        const look = (): boolean => {
          if (!pattern.test(text)) return false
          found(text)
          return true
        }
        const cleanUp = (): void => void socket.off('data', onData).off('close', onClose)
        const onData = (): void => void (look() && cleanUp())
        const onClose = (): void => {
          cleanUp()
          if (!look()) lost(new Error(`closed before ${String(pattern)}: ${text.slice(-500)}`))
        }
        if (look()) return
        socket.on('data', onData).on('close', onClose)
      }),
  }
}

/** The head of a POST to /mcp with a body of this length, up to the empty line. */
export function requestHead({ token }: HttpServer, length: number, extra = ''): string {
  const lines = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', `Content-Length: ${length}`]
  return `${lines.join('\r\n')}\r\nAuthorization: Bearer ${token}\r\n${extra}\r\n`
}

export const rpc = (method: string, params?: object, id: string | number = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) })

export const callOf = (name: string, args: object = {}, id: string | number = 1, meta?: object): string =>
  rpc('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }, id)

/** A request of the modern revision, with the headers that repeat it. */
export function modern(
  method: string,
  params: Json = {},
  id: string | number = 1,
  capabilities: object = {},
): HttpRequest {
  const { _meta: meta, ...rest } = params
  const name = params.name ?? params.uri ?? params.taskId
  const body = rpc(
    method,
    {
      ...rest,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientCapabilities': capabilities,
        ...meta,
      },
    },
    id,
  )
  return {
    body,
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) },
  }
}

export function modernCall(name: string, args: object = {}, id: string | number = 1, meta?: object): HttpRequest {
  return modern('tools/call', { name, arguments: args, _meta: meta }, id)
}

/** Opens a legacy session; resolves to its id. */
export async function initialize(
  server: HttpServer,
  protocolVersion: string,
  asked: HttpRequest = {},
  clientInfo = TEST_CLIENT,
): Promise<string> {
  const body = rpc('initialize', { protocolVersion, capabilities: { elicitation: {} }, clientInfo })
  const { headers } = await sendRequest(server, { body, ...asked })
  return String(headers['mcp-session-id'])
}

/** A call of the fixture's tool `say`, without a session. */
export async function callTool(server: HttpServer, name: string, args: object = {}): Promise<string> {
  const { json } = await sendRequest(server, modernCall(name, args))
  return json.result.content[0].text
}

/** The warnings in the server's log, except the intended bug of the fixture. */
export function logComplaints(server: HttpServer): readonly string[] {
  const lines = server.stderr().split('\n')
  return lines.filter((line) => /error|warning/i.test(line) && !line.includes('on purpose'))
}
