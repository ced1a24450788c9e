// Routes every HTTP request to its handler. The order of checks is fixed: Host and Origin, authentication, rate limits,
// path; only then is the body read and parsed. Created by http-server.ts. Answers through the exchange; sets timers
// that close connections.

import type { IncomingMessage, ServerResponse } from 'node:http'

import { countMessageValues } from '../jsonrpc/message.js'
import type { Principal } from './authenticator.js'
import { ConnectionAuthCache } from './connection-auth-cache.js'
import { trackPipelinedResponse } from './connections.js'
import { checkHostAndOrigin, isRefusal, type Refusal, SHUTTING_DOWN, tooManyRequests } from './host-policy.js'
import type { BodyHandler, HttpContext } from './http-context.js'
import { HttpExchange, refuseMethod } from './http-exchange.js'
import { handleDelete, handleGet, handlePost } from './mcp-endpoint.js'
import { METRICS_CONTENT_TYPE } from './metrics.js'
import { type BodyResult, checkBodySize, exceedsContentLength, readRequestBody, TOO_MUCH_MEMORY } from './read-body.js'
import { holdValues, isLargeText } from './rate-limits.js'
import type { SseSessions } from './sse-endpoint.js'

/** What is served by the machine that owns the user's workspace. */
const USER_PATHS: ReadonlySet<string> = new Set(['/mcp', '/sse', '/messages'])
const METADATA_PATH = /^\/\.well-known\/oauth-protected-resource(\/mcp)?$/

export interface Router {
  readonly handleRequest: (request: IncomingMessage, response: ServerResponse) => void
  /** Ends the streams of the extra routes. */
  endStreams(): void
}

export function createRouter(context: HttpContext, sse: SseSessions): Router {
  const { keyHeader } = context.authenticator
  const { placement } = context.extensions
  const extraRoutes = context.extensions.routes?.(context)
  // With a custom authenticate function any header may matter, so results are not cached.
  const authCache = keyHeader === undefined ? undefined : new ConnectionAuthCache(keyHeader)

  function receive(request: IncomingMessage, response: ServerResponse): void {
    trackPipelinedResponse(request, response)
    const exchange = new HttpExchange(request, response, context)
    const forwarded = placement?.readForwarded(request)
    if (forwarded && isRefusal(forwarded)) return exchange.refuse(forwarded, 'machine')
    exchange.forwarded = forwarded
    const cached = authCache?.get(request)
    // The machine that has forwarded it has checked them.
    const refusal = cached || forwarded ? undefined : checkHostAndOrigin(request.headers, context.hostPolicy)
    if (refusal) return exchange.refuse(refusal, refusal.kind ?? 'host')
    const path = requestPath(request)
    const crossOrigin = !forwarded && extraRoutes?.ownsPath(path) ? extraRoutes.refuse(request) : undefined
    if (crossOrigin) return exchange.refuse(crossOrigin, 'origin')
    if (extraRoutes?.servePublic(exchange, path)) return
    if (!extraRoutes?.ownsPath(path)) allowOrigin(exchange)
    if (servePublicPath(exchange, path)) return
    if (cached) return admit(exchange, path, cached)
    try {
      const principal = context.authenticator.authenticate(request.headers)
      if (!(principal instanceof Promise)) return rememberAndAdmit(exchange, path, principal)
      principal.then(
        (result) => rememberAndAdmit(exchange, path, result),
        (error: unknown) => failRequest(exchange, error),
      )
    } catch (error) {
      failRequest(exchange, error)
    }
  }

  function rememberAndAdmit(exchange: HttpExchange, path: string, principal: Principal | Refusal): void {
    if (!isRefusal(principal)) authCache?.set(exchange.request, principal)
    admit(exchange, path, principal)
  }

  /** Serves paths that require no authentication. */
  function servePublicPath(exchange: HttpExchange, path: string): boolean {
    const { method } = exchange.request
    const { metadata, metadataPath } = context.authenticator
    if (method === 'OPTIONS' && !extraRoutes?.ownsPath(path)) exchange.empty(204)
    else if (path === '/healthz') exchange.text(200, 'ok\n', 'text/plain')
    else if (path === '/readyz') answerReadiness(exchange)
    else if (metadata && (path === metadataPath || METADATA_PATH.test(path)))
      exchange.json(200, JSON.stringify(metadata))
    else return false
    return true
  }

  function answerReadiness(exchange: HttpExchange): void {
    const unready = context.isShuttingDown ? 'stopping' : placement?.findUnreadiness()
    exchange.text(unready === undefined ? 200 : 503, `${unready ?? 'ready'}\n`, 'text/plain')
  }

  function admit(exchange: HttpExchange, path: string, principal: Principal | Refusal): void {
    if (!placement || isRefusal(principal) || !belongsToUser(path)) return admitHere(exchange, path, principal)
    exchange.principal = principal
    context.anonymousConnections?.markAuthenticated(exchange.request.socket)
    placement.place(exchange, () => admitHere(exchange, path, principal))
  }

  function belongsToUser(path: string): boolean {
    return USER_PATHS.has(path) || extraRoutes?.ownsPath(path) === true
  }

  function admitHere(exchange: HttpExchange, path: string, principal: Principal | Refusal): void {
    // The client may have disconnected during authentication; nothing must be started for it.
    if (exchange.response.destroyed) return exchange.clientClosed()
    const refusal = checkAdmission(context, exchange, principal)
    if (refusal) return exchange.refuse(refusal.refusal, refusal.kind)
    try {
      route(exchange, path)
    } catch (error) {
      failRequest(exchange, error)
    }
  }

  function route(exchange: HttpExchange, path: string): void {
    const { method } = exchange.request
    if (extraRoutes?.ownsPath(path)) return extraRoutes.route(exchange, path, withBody)
    if (context.servesMcp === false) return refusePath(exchange)
    if (path === '/mcp') {
      if (method === 'POST') return withBody(exchange, (body, values) => handlePost(context, exchange, body, values))
      if (method === 'GET') return handleGet(context, exchange)
      if (method === 'DELETE') return handleDelete(context, exchange)
      return refuseMethod(exchange, 'POST, GET, DELETE')
    }
    if (path === '/sse') return method === 'GET' ? sse.open(exchange) : refuseMethod(exchange, 'GET')
    if (path === '/messages') {
      if (method !== 'POST') return refuseMethod(exchange, 'POST')
      return withBody(exchange, (body, values) =>
        sse.post(exchange, sessionIdFromQuery(exchange.request), body, values),
      )
    }
    if (path === '/metrics') {
      if (method !== 'GET') return refuseMethod(exchange, 'GET')
      return exchange.text(200, context.metrics.format(), METRICS_CONTENT_TYPE)
    }
    refusePath(exchange)
  }

  function refusePath(exchange: HttpExchange): void {
    const reason = context.servesMcp === false ? 'Only the console is served here' : 'The endpoint is /mcp'
    exchange.refuse({ status: 404, reason }, 'path')
  }

  function withBody(exchange: HttpExchange, next: BodyHandler, maxBytes = context.maxBodyBytes): void {
    const { request, response } = exchange
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      return exchange.refuse({ status: 415, reason: 'The content type must be application/json' }, 'type')
    }
    const { expect } = request.headers
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      return exchange.refuse({ status: 417, reason: 'The only supported expectation is 100-continue' }, 'header')
    }
    const { rateLimits, turnShares } = context
    const memory = exchange.memory ?? rateLimits.holdMemory(exchange.user)
    exchange.memory = memory
    // A large body is decoded, measured and parsed in turns of their own.
    const schedule = (work: () => void): void => turnShares.run(exchange.user, () => attempt(exchange, work))
    const start: BodyHandler = (body, values) => {
      const moved = placement?.refuseWork(exchange.user)
      if (moved) exchange.refuse(exchange.forwarded ? { ...moved, status: 421 } : moved, 'machine')
      else next(body, values)
    }
    const receiveBody = (body: BodyResult, bytes: number): void => {
      exchange.bytesIn = bytes
      if (body === undefined) exchange.clientClosed()
      else if (typeof body !== 'string') refuseBody(exchange, body)
      else if (!isLargeText(body)) start(body)
      else {
        schedule(() => {
          const values = countMessageValues(body)
          if (holdValues(memory, values)) schedule(() => start(body, values))
          else exchange.refuse(TOO_MUCH_MEMORY, 'size')
        })
      }
    }
    const { receivedBody } = exchange
    if (receivedBody !== undefined) return receiveBody(checkBodySize(receivedBody, maxBytes), exchange.bytesIn)
    if (expect !== undefined && !exceedsContentLength(request, maxBytes)) response.writeContinue()
    readRequestBody(request, { maxBytes, memory, schedule }, receiveBody)
  }

  /** Does nothing for a client that has disconnected. */
  function attempt(exchange: HttpExchange, work: () => void): void {
    try {
      if (exchange.response.destroyed) exchange.clientClosed()
      else work()
    } catch (error) {
      failRequest(exchange, error)
    }
  }

  function failRequest(exchange: HttpExchange, error: unknown): void {
    context.server.logError(error)
    if (exchange.response.headersSent) exchange.response.destroy()
    else exchange.refuse({ status: 500, reason: "Internal error; see the server's log" }, 'error')
  }

  return { handleRequest: receive, endStreams: () => extraRoutes?.endStreams() }
}

/** Checks authentication result and limits. Counts the request until it ends. */
export function checkAdmission(context: HttpContext, exchange: HttpExchange, principal: Principal | Refusal) {
  if (isRefusal(principal)) {
    const retryAfter = principal.status === 401 ? context.rateLimits.countFailedLogin(exchange.remote ?? '') : undefined
    if (!retryAfter) return { refusal: principal, kind: principal.status === 403 ? 'scope' : 'credentials' } as const
    return {
      refusal: tooManyRequests('Too many refused credentials', retryAfter.retryAfterSeconds),
      kind: 'rate',
    } as const
  }
  exchange.principal = principal
  context.anonymousConnections?.markAuthenticated(exchange.request.socket)
  // Requests of an existing session may still deliver an answer or resume a stream.
  if (context.isShuttingDown && !continuesSession(exchange.request))
    return { refusal: SHUTTING_DOWN, kind: 'stopping' } as const
  const retryAfter = context.rateLimits.countRequest(principal.user)
  if (retryAfter)
    return { refusal: tooManyRequests('Too many requests', retryAfter.retryAfterSeconds), kind: 'rate' } as const
  if (!context.rateLimits.acquireSlot(principal.user)) {
    return { refusal: tooManyRequests('Too many requests and streams are open at once', 1), kind: 'streams' } as const
  }
  exchange.onEnd = () => context.rateLimits.releaseSlot(principal.user)
  // Metrics are those of the whole process.
  const server = requestPath(exchange.request) === '/metrics' ? undefined : context.serverFor?.(principal)
  if (server && isRefusal(server)) return { refusal: server, kind: server.status === 403 ? 'scope' : 'error' } as const
  exchange.server = server
  return undefined
}

function continuesSession(request: IncomingMessage): boolean {
  return request.headers['mcp-session-id'] !== undefined || requestPath(request) === '/messages'
}

export function requestPath({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

function sessionIdFromQuery({ url = '' }: IncomingMessage): string {
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('sessionId') ?? ''
}

/** CORS headers: an allowed origin may also read the response. */
export function allowOrigin({ request, headers }: HttpExchange, methods = 'POST, GET, DELETE'): void {
  const { origin } = request.headers
  if (origin === undefined) return
  headers['access-control-allow-origin'] = origin
  headers['vary'] = 'origin'
  headers['access-control-expose-headers'] = 'mcp-session-id, www-authenticate'
  if (request.method !== 'OPTIONS') return
  headers['access-control-allow-methods'] = methods
  headers['access-control-allow-headers'] = request.headers['access-control-request-headers'] ?? '*'
  headers['access-control-max-age'] = '600'
}

/** Refuses a body, and discards the rest of it. */
export function refuseBody(exchange: HttpExchange, refusal: Refusal): void {
  exchange.refuse(refusal, refusal.status === 400 ? 'body' : 'size')
  drainBody(exchange)
}

// Closing the connection at once would discard the response; the rest of the body is discarded for a moment.
function drainBody({ request }: HttpExchange): void {
  const { socket } = request
  request.resume()
  const timer = setTimeout(() => socket.destroy(), 2000)
  request.once('close', () => clearTimeout(timer))
}
