// Serves the inspector on a port of the loopback interface: the files of the page, and for a page with the key of this
// run the events and actions of the inspector. Requests with another Host or Origin are refused, so that pages of other
// sites cannot reach it, also not by DNS rebinding. Opened by run-dev.ts. Opens a port; reads the files of the page.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'

import { errorMessage } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'

import type { Inspector } from './inspector.js'
import { CommandLineError } from './server-command.js'
import type { InspectorEvent, RpcOutcome } from './view.js'

const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 32 * 1024 * 1024
/** A page that reads more slowly is disconnected; it connects again and gets the current state. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024
const ALIVE_MS = 15_000

const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/page.css': { name: 'page.css', type: 'text/css; charset=utf-8' },
}

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

export interface InspectorHttp {
  /** With the key in its fragment, which browsers do not send. */
  readonly url: string
  close(): Promise<void>
}

/** `port` 0: any free port. */
export async function openInspectorHttp(
  inspector: Inspector,
  pageFolder: string,
  port: number,
): Promise<InspectorHttp> {
  const key = randomBytes(24).toString('base64url')
  const server = createServer((request, response) => {
    // Rejects if the page leaves in the middle of a request.
    serve(request, response).catch(() => response.destroy())
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isOwnHost(request, portOf(server))) return sendText(response, 403, 'This host name is not allowed.')
    const { pathname } = new URL(request.url ?? '/', 'http://page')
    const file = FILES[pathname]
    if (file) return sendFile(request, response, join(pageFolder, file.name), file.type)
    if (!pathname.startsWith('/api/')) return sendText(response, 404, 'There is nothing at this address.')
    if (!hasKey(request, key)) return sendText(response, 401, 'Open the link that the dev command printed.')
    if (pathname === '/api/events' && request.method === 'GET') return streamEvents(inspector, response)
    const action = ACTIONS[pathname]
    if (!action) return sendText(response, 404, 'There is no such action.')
    if (request.method !== 'POST') return sendText(response, 405, 'Use POST.')
    const body = await readBody(request)
    if (body === undefined) return sendText(response, 413, `A request may have at most ${MAX_BODY_BYTES} bytes.`)
    const members = tryParseJson(body)
    const outcome = isJsonObject(members) ? await action(inspector, members, response) : undefined
    if (outcome === undefined) return sendText(response, 400, 'The request lacks members that this action needs.')
    sendJson(response, outcome)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CommandLineError(`Cannot listen on port ${port}: ${errorMessage(error)}`)),
    )
    server.listen(port, HOST, resolve)
  })
  return {
    url: `http://${HOST}:${portOf(server)}/#key=${key}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns the answer; undefined if a member is missing. */
type Action = (inspector: Inspector, members: JsonObject, response: ServerResponse) => Promise<JsonObject | undefined>

const ACTIONS: Readonly<Record<string, Action>> = {
  async '/api/request'(inspector, { callId, method, params }, response) {
    if (typeof callId !== 'string' || typeof method !== 'string' || !isJsonObject(params)) return undefined
    // A page that is closed, or cancels, ends its request.
    const left = new AbortController()
    response.once('close', () => left.abort())
    const startedAt = performance.now()
    const outcome = await inspector.request({ callId, method, params }, left.signal)
    return { ...outcome, ms: performance.now() - startedAt }
  },
  async '/api/answer'(inspector, { id, outcome }) {
    const answer = isJsonObject(outcome) ? readOutcome(outcome) : undefined
    if (typeof id !== 'number' || !answer) return undefined
    return { isOpen: inspector.answer(id, answer) }
  },
  async '/api/revision'(inspector, { revision }) {
    if (typeof revision !== 'string') return undefined
    await inspector.chooseRevision(revision)
    return {}
  },
  async '/api/restart'(inspector) {
    await inspector.restart()
    return {}
  },
}

function readOutcome({ result, error }: JsonObject): RpcOutcome | undefined {
  if (isJsonObject(result)) return { result }
  return isJsonObject(error) ? { error: { code: Number(error.code), message: String(error.message) } } : undefined
}

/** One event a line, as JSON. */
function streamEvents(inspector: Inspector, response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/x-ndjson' })
  const send = (event: InspectorEvent): void => {
    response.write(`${JSON.stringify(event)}\n`)
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
  }
  inspector.snapshot().forEach(send)
  const unsubscribe = inspector.subscribe(send)
  const alive = setInterval(() => response.write('\n'), ALIVE_MS)
  response.once('close', () => {
    clearInterval(alive)
    unsubscribe()
  })
}

function isOwnHost({ headers }: IncomingMessage, port: number): boolean {
  const { host, origin } = headers
  const isOwn = host === `${HOST}:${port}` || host === `localhost:${port}`
  return isOwn && (origin === undefined || origin === `http://${host}`)
}

function hasKey({ headers }: IncomingMessage, key: string): boolean {
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${key}`))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

async function sendFile(request: IncomingMessage, response: ServerResponse, path: string, type: string): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendText(response, 405, 'Use GET.')
  const content = await readFile(path).catch(() => undefined)
  if (!content) return sendText(response, 404, 'The page is not part of this installation; install the package again.')
  response.writeHead(200, { ...HEADERS, 'content-type': type, 'content-length': content.length })
  response.end(request.method === 'HEAD' ? undefined : content)
}

function sendText(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${sentence}\n`)
}

function sendJson(response: ServerResponse, members: JsonObject): void {
  if (response.destroyed) return
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/json' })
  response.end(JSON.stringify(members))
}

/** Undefined if there is too much. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
