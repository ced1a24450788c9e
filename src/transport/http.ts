// MCP over HTTP, plain: POST /mcp takes one message and answers it with JSON. Stateless: the revision comes from the
// MCP-Protocol-Version header or the message itself. The end is the same as on stdio: a grace, then everything stops.

import { isUtf8 } from 'node:buffer'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import { INVALID_REQUEST, PARSE_ERROR } from '../protocol/protocol-error.js'
import { readText } from '../protocol/message.js'
import { isLegacyRevision } from '../protocol/revision.js'
import type { Server } from '../protocol/server.js'
import { createSession, type Session } from '../protocol/session.js'
import { checkGate, type Refusal } from './gate.js'

const GRACE_MS = 5000

export interface HttpSettings {
  readonly host: string
  readonly port: number
  /** undefined: no token is asked for. */
  readonly token: string | undefined
  readonly maxBodyBytes: number
}

export interface HttpListener {
  readonly port: number
  /** Takes no more requests, lets those in flight finish for a while, then stops them. */
  close(): Promise<void>
}

export async function listenHttp(server: Server, settings: HttpSettings): Promise<HttpListener> {
  const sessions = new Set<Session>()
  const http = createHttpServer({ headersTimeout: 10_000, requestTimeout: 15_000 }, (request, response) => {
    respond({ server, settings, sessions }, request, response).catch((error: unknown) => {
      // A client that leaves while it sends is no bug of ours.
      if (!request.destroyed) server.logError(error)
      response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(settings.port, settings.host, resolve)
  })
  // What a tool throws outside of its call must not take the other calls with it.
  process.on('uncaughtException', (error) => server.logError(error))
  const address = http.address()
  return {
    port: typeof address === 'object' && address ? address.port : settings.port,
    async close() {
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeIdleConnections()
      await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })])
      for (const session of sessions) session.abort('the server is stopping')
      await server.close()
      http.closeAllConnections()
      await closed
    },
  }
}

interface House {
  readonly server: Server
  readonly settings: HttpSettings
  readonly sessions: Set<Session>
}

async function respond(house: House, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { server, settings, sessions } = house
  const refusal = checkGate(request.headers, settings.token) ?? checkRequest(request)
  if (refusal) return refuse(response, refusal)
  const body = await readBody(request, settings.maxBodyBytes)
  if (typeof body !== 'string') return refuse(response, body)
  // Without a header, the specification says to assume 2025-03-26.
  const named = request.headers['mcp-protocol-version']
  const session = createSession(server, isLegacyRevision(named) ? named : '2025-03-26')
  sessions.add(session)
  response.on('close', () => session.abort('the client is gone'))
  // A plain JSON answer has no room for progress.
  const answer = await session.receive(readText(body), { notify: () => {} })
  sessions.delete(session)
  if (answer === undefined) response.writeHead(202).end()
  else response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
}

function checkRequest({ url, method, headers }: IncomingMessage): Refusal | undefined {
  if ((url ?? '').replace(/\?.*$/s, '') !== '/mcp') return { status: 404, reason: 'The endpoint is /mcp' }
  if (method !== 'POST') return { status: 405, reason: 'Send messages by POST' }
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '')
  return isJson ? undefined : { status: 415, reason: 'The content type must be application/json' }
}

function refuse(response: ServerResponse, { status, reason }: Refusal): void {
  const extra = status === 401 ? { 'www-authenticate': 'Bearer' } : status === 405 ? { allow: 'POST' } : {}
  const code = status === 400 ? PARSE_ERROR : INVALID_REQUEST
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: reason } })
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...extra }).end(body)
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | Refusal> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > maxBytes) return { status: 413, reason: `The body is larger than ${maxBytes} bytes` }
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (!isUtf8(bytes)) return { status: 400, reason: 'Parse error: the body is not valid UTF-8' }
  return bytes.toString().replace(/^\uFEFF/, '')
}
