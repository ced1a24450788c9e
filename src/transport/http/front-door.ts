// Every HTTP request comes in here. The order is the law: Host and Origin, then who it is, then how much they may ask,
// then the path; only then is a body read, and only after that is anything parsed.

import type { IncomingMessage, ServerResponse } from 'node:http'

import { Acquaintances } from './acquaintances.js'
import type { Caller } from './auth.js'
import { announcesMore, readBody } from './body.js'
import { checkGate, isRefusal, STOPPING, tooMany, type Refusal } from './gate.js'
import type { House } from './house.js'
import { endSession, openStream, postMessage } from './mcp-endpoint.js'
import { METRICS_CONTENT_TYPE } from './metrics.js'
import { watchQueued } from './queued.js'
import { refuseMethod } from './refuse-method.js'
import type { SseSessions } from './sse-endpoint.js'
import { Visit } from './visit.js'

const METADATA = /^\/\.well-known\/oauth-protected-resource(\/mcp)?$/

export interface FrontDoor {
  readonly receive: (request: IncomingMessage, response: ServerResponse) => void
  /** Ends the streams of those who look at the board. */
  endStreams(): void
}

export function openFrontDoor(house: House, sse: SseSessions): FrontDoor {
  const { keyHeader } = house.authenticator
  const extra = house.extensions.routes?.(house)
  // A caller of the author's own function may be known by anything; nobody else can say what makes two alike.
  const acquaintances = keyHeader === undefined ? undefined : new Acquaintances(keyHeader)

  function receive(request: IncomingMessage, response: ServerResponse): void {
    watchQueued(request, response)
    const visit = new Visit(request, response, house)
    const known = acquaintances?.recall(request)
    const refusal = known ? undefined : checkGate(request.headers, house.policy)
    if (refusal) return visit.refuse(refusal, refusal.kind ?? 'host')
    const path = pathOf(request)
    const foreign = extra?.ownsPath(path) ? extra.refuse(request) : undefined
    if (foreign) return visit.refuse(foreign, 'origin')
    if (extra?.servePublic(visit, path)) return
    if (!extra?.ownsPath(path)) allowOrigin(visit)
    if (isPublic(visit, path)) return
    if (known) return admit(visit, path, known)
    try {
      const caller = house.authenticator.authenticate(request.headers)
      if (!(caller instanceof Promise)) return meet(visit, path, caller)
      caller.then(
        (found) => meet(visit, path, found),
        (error: unknown) => fail(visit, error),
      )
    } catch (error) {
      fail(visit, error)
    }
  }

  function meet(visit: Visit, path: string, caller: Caller | Refusal): void {
    if (!isRefusal(caller)) acquaintances?.remember(visit.request, caller)
    admit(visit, path, caller)
  }

  /** What everybody may see. */
  function isPublic(visit: Visit, path: string): boolean {
    const { method } = visit.request
    const { metadata, metadataPath } = house.authenticator
    if (method === 'OPTIONS' && !extra?.ownsPath(path)) visit.empty(204)
    else if (path === '/healthz') visit.text(200, 'ok\n', 'text/plain')
    else if (path === '/readyz' && house.draining) visit.text(503, 'stopping\n', 'text/plain')
    else if (path === '/readyz') visit.text(200, 'ready\n', 'text/plain')
    else if (metadata && (path === metadataPath || METADATA.test(path))) visit.json(200, JSON.stringify(metadata))
    else return false
    return true
  }

  function admit(visit: Visit, path: string, caller: Caller | Refusal): void {
    // Finding out who it is may have taken longer than the client stayed; what ends with it must not begin.
    if (visit.response.destroyed) return visit.lost()
    const refusal = admission(house, visit, caller)
    if (refusal) return visit.refuse(refusal.refusal, refusal.kind)
    try {
      route(visit, path)
    } catch (error) {
      fail(visit, error)
    }
  }

  function route(visit: Visit, path: string): void {
    const { method } = visit.request
    if (extra?.ownsPath(path)) return extra.route(visit, path, withBody)
    if (house.mcp === false) return refusePath(visit)
    if (path === '/mcp') {
      if (method === 'POST') return withBody(visit, (body) => postMessage(house, visit, body))
      if (method === 'GET') return openStream(house, visit)
      if (method === 'DELETE') return endSession(house, visit)
      return refuseMethod(visit, 'POST, GET, DELETE')
    }
    if (path === '/sse') return method === 'GET' ? sse.open(visit) : refuseMethod(visit, 'GET')
    if (path === '/messages') {
      if (method !== 'POST') return refuseMethod(visit, 'POST')
      return withBody(visit, (body) => sse.post(visit, sessionIn(visit.request), body))
    }
    if (path === '/metrics') {
      if (method !== 'GET') return refuseMethod(visit, 'GET')
      return visit.text(200, house.metrics.text(), METRICS_CONTENT_TYPE)
    }
    refusePath(visit)
  }

  function refusePath(visit: Visit): void {
    const reason = house.mcp === false ? 'There is nothing here but the page' : 'The endpoint is /mcp'
    visit.refuse({ status: 404, reason }, 'path')
  }

  function withBody(visit: Visit, next: (body: string) => void, maxBytes = house.maxBodyBytes): void {
    const { request, response } = visit
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      return visit.refuse({ status: 415, reason: 'The content type must be application/json' }, 'type')
    }
    const { expect } = request.headers
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      return visit.refuse({ status: 417, reason: 'The only expectation that can be met is 100-continue' }, 'header')
    }
    if (expect !== undefined && !announcesMore(request, maxBytes)) response.writeContinue()
    readBody(request, maxBytes, (body, bytes) => {
      visit.bytesIn = bytes
      try {
        if (typeof body === 'string') next(body)
        else if (body === undefined) visit.lost()
        else {
          visit.refuse(body, body.status === 413 ? 'size' : 'body')
          discard(visit)
        }
      } catch (error) {
        fail(visit, error)
      }
    })
  }

  function fail(visit: Visit, error: unknown): void {
    house.server.logError(error)
    if (visit.response.headersSent) visit.response.destroy()
    else visit.refuse({ status: 500, reason: "Internal error; see the server's log" }, 'error')
  }

  return { receive, endStreams: () => extra?.endStreams() }
}

/** Who may go on; counted from here to the end of the visit. */
export function admission(house: House, visit: Visit, caller: Caller | Refusal) {
  if (isRefusal(caller)) {
    const wait = caller.status === 401 ? house.limits.refused(visit.request.socket.remoteAddress ?? '') : undefined
    if (!wait) return { refusal: caller, kind: caller.status === 403 ? 'scope' : 'credentials' } as const
    return { refusal: tooMany('Too many refused credentials', wait.retryAfterSeconds), kind: 'rate' } as const
  }
  visit.caller = caller
  // Who is in the middle of something may still answer a question, or come back for the rest.
  if (house.draining && !isUnderWay(visit.request)) return { refusal: STOPPING, kind: 'stopping' } as const
  const wait = house.limits.take(caller.user)
  if (wait) return { refusal: tooMany('Too many requests', wait.retryAfterSeconds), kind: 'rate' } as const
  if (!house.limits.enter(caller.user)) {
    return { refusal: tooMany('Too many requests and streams are open at once', 1), kind: 'streams' } as const
  }
  visit.onEnd = () => house.limits.leave(caller.user)
  return undefined
}

function isUnderWay(request: IncomingMessage): boolean {
  return request.headers['mcp-session-id'] !== undefined || pathOf(request) === '/messages'
}

export function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

function sessionIn({ url = '' }: IncomingMessage): string {
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('sessionId') ?? ''
}

/** A page that may ask must also be allowed to read. */
function allowOrigin({ request, headers }: Visit): void {
  const { origin } = request.headers
  if (origin === undefined) return
  headers['access-control-allow-origin'] = origin
  headers['vary'] = 'origin'
  headers['access-control-expose-headers'] = 'mcp-session-id, www-authenticate'
  if (request.method !== 'OPTIONS') return
  headers['access-control-allow-methods'] = 'POST, GET, DELETE'
  headers['access-control-allow-headers'] = request.headers['access-control-request-headers'] ?? '*'
  headers['access-control-max-age'] = '600'
}

// Cutting the line at once would take the answer with it; what still comes is thrown away, for a moment.
function discard({ request }: Visit): void {
  const { socket } = request
  request.resume()
  const timer = setTimeout(() => socket.destroy(), 2000)
  request.once('close', () => clearTimeout(timer))
}
