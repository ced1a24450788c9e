// MCP over HTTP, plain: POST /mcp takes one message and answers it with JSON. Stateless: the revision comes from the
// MCP-Protocol-Version header or the message itself.

import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'

import type { Server } from '../protocol/server.js'
import { isLegacyRevision } from '../protocol/revision.js'
import { createSession } from '../protocol/session.js'
import { checkGate } from './gate.js'

export interface HttpSettings {
  readonly host: string
  readonly port: number
  /** undefined: no token is asked for. */
  readonly token: string | undefined
  readonly maxBodyBytes: number
}

export interface HttpListener {
  readonly port: number
  close(): Promise<void>
}

export async function listenHttp(server: Server, settings: HttpSettings): Promise<HttpListener> {
  const http = createHttpServer({ headersTimeout: 10_000, requestTimeout: 15_000 }, (request, response) => {
    respond(server, settings, request, response).catch((error: unknown) => {
      // A client that leaves while it sends is no bug of ours.
      if (!request.destroyed) server.logError(error)
      response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(settings.port, settings.host, resolve)
  })
  const address = http.address()
  return {
    port: typeof address === 'object' && address ? address.port : settings.port,
    async close() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

async function respond(
  server: Server,
  settings: HttpSettings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = checkGate(request.headers, settings.token) ?? checkRequest(request)
  if (refusal) return refuse(response, refusal.status, refusal.reason)
  const body = await readBody(request, settings.maxBodyBytes)
  if (body === undefined) return refuse(response, 413, `The body is larger than ${settings.maxBodyBytes} bytes`)
  // Without a header, the specification says to assume 2025-03-26.
  const named = request.headers['mcp-protocol-version']
  const session = createSession(server, isLegacyRevision(named) ? named : '2025-03-26')
  let answered = false
  response.on('close', () => session.abort('the client is gone'))
  session.receive(body, {
    congested: () => true,
    send(text) {
      answered = true
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    },
  })
  await session.settled()
  // A batch is answered a moment after its last call has settled.
  setImmediate(() => {
    if (!answered) response.writeHead(202).end()
  })
}

function checkRequest({ url, method, headers }: IncomingMessage): { status: number; reason: string } | undefined {
  if (new URL(url ?? '/', 'http://localhost').pathname !== '/mcp')
    return { status: 404, reason: 'The endpoint is /mcp' }
  if (method !== 'POST') return { status: 405, reason: 'Send messages by POST' }
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '')
  return isJson ? undefined : { status: 415, reason: 'The content type must be application/json' }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const extra = status === 401 ? { 'www-authenticate': 'Bearer' } : status === 405 ? { allow: 'POST' } : {}
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } })
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...extra }).end(body)
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
