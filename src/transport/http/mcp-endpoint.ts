// /mcp: which era a request belongs to, and who answers it. Decided from the message and its headers together: the
// modern `_meta` or version, a session, a legacy version, or none of them, which is how ArmorIQ's callers come.

import { isObject } from '../../lib/json.js'
import { readText, type Batch, type Message } from '../../protocol/message.js'
import { isModern } from '../../protocol/modern.js'
import { isLegacyRevision, MODERN_REVISION, SUPPORTED_REVISIONS } from '../../protocol/revision.js'
import { STOPPING, tooMany } from './gate.js'
import type { House } from './house.js'
import { postAlone, postInitialize, postInSession } from './legacy-post.js'
import type { LegacySession } from './legacy-sessions.js'
import { postModern } from './modern-post.js'
import type { Visit } from './visit.js'

const NO_SESSION = { status: 404, reason: 'There is no such session; begin a new one with initialize' }

export function postMessage(house: House, visit: Visit, body: string): void {
  const message = readText(body)
  describe(visit, message)
  if (message.kind === 'malformed') return visit.json(400, message.answer.text)
  if (refuseBegun(house, visit, message)) return
  const { 'mcp-session-id': id, 'mcp-protocol-version': version } = visit.request.headers
  if (version === MODERN_REVISION || (message.kind !== 'batch' && carriesMeta(message))) {
    if (message.kind !== 'batch') return postModern(house, visit, message)
    return visit.refuse({ status: 400, reason: 'At 2026-07-28 a body is one message, not a batch' }, 'header')
  }
  if (typeof id === 'string') return postWithId(house, visit, message, id)
  if (message.kind === 'request' && message.method === 'initialize') return void postInitialize(house, visit, message)
  const { unversioned } = house.extensions
  if (unversioned && message.kind !== 'batch' && (version === undefined || version === '2024-11-05')) {
    return unversioned.post(house, visit, message)
  }
  if (version === undefined) return postAlone(house, visit, message, '2025-03-26')
  if (isLegacyRevision(version)) return postAlone(house, visit, message, version)
  refuseVersion(visit)
}

/** Nothing is begun once the end was decided on, and a batch counts for as many as it has. */
export function refuseBegun(house: House, visit: Visit, message: Message | Batch): boolean {
  if (message.kind !== 'request' && message.kind !== 'batch') return false
  const wait = message.kind === 'batch' ? house.limits.take(visit.user, Math.max(0, message.size - 1)) : undefined
  if (house.draining) visit.refuse(STOPPING, 'stopping')
  else if (wait) visit.refuse(tooMany('Too many requests', wait.retryAfterSeconds), 'rate')
  return house.draining || wait !== undefined
}

/** The stream of a session: what belongs to no request, or the rest of what a broken connection was owed. */
export function openStream(house: House, visit: Visit): void {
  visit.era = 'legacy'
  const opened = findSession(house, visit)
  if (!opened) return
  if (!visit.accepts('text/event-stream')) {
    return visit.refuse(
      { status: 406, reason: 'Accept text/event-stream: a stream is all there is to get here' },
      'header',
    )
  }
  const { 'last-event-id': last } = visit.request.headers
  const broken = typeof last === 'string' ? opened.lineAt(last) : undefined
  // Clients that were given an error come back for a result, again and again; this is the one answer that lets them rest.
  if (broken?.track.isSpentAfter(broken.sequence)) {
    return visit.refuse(
      { status: 405, reason: 'Everything on that stream was delivered', headers: { allow: 'POST' } },
      'session',
    )
  }
  const { track, sequence } = broken ?? { track: opened.standing, sequence: undefined }
  track.attach(visit.stream(), sequence)
}

export function endSession(house: House, visit: Visit): void {
  visit.era = 'legacy'
  const opened = findSession(house, visit)
  if (!opened) return
  house.sessions.end(opened, 'the client ended the session')
  visit.empty(204)
}

function findSession(house: House, visit: Visit): LegacySession | undefined {
  const { 'mcp-session-id': id } = visit.request.headers
  if (typeof id !== 'string') {
    const reason = 'Send messages by POST; a stream needs the id of a session in Mcp-Session-Id'
    visit.refuse({ status: 405, reason, headers: { allow: 'POST' } }, 'method')
    return undefined
  }
  const opened = house.sessions.find(id, visit.user)
  visit.session = id
  if (!opened) visit.refuse(NO_SESSION, 'session')
  return opened
}

function postWithId(house: House, visit: Visit, message: Message | Batch, id: string): void {
  visit.session = id
  const opened = house.sessions.find(id, visit.user)
  if (!opened) return visit.refuse(NO_SESSION, 'session')
  const { 'mcp-protocol-version': version } = visit.request.headers
  if (version !== undefined && !isLegacyRevision(version)) return refuseVersion(visit)
  const { unversioned } = house.extensions
  if (unversioned && opened.session.agreed === '2024-11-05' && message.kind !== 'batch') {
    unversioned.post(house, visit, message, opened.session)
  } else postInSession(visit, opened, message)
}

function refuseVersion(visit: Visit): void {
  const reason = `MCP-Protocol-Version is none of those spoken here: ${SUPPORTED_REVISIONS.join(', ')}`
  visit.refuse({ status: 400, reason }, 'header')
}

function carriesMeta(message: Message): boolean {
  if (message.kind !== 'request' && message.kind !== 'notification') return false
  return isObject(message.params) ? isModern(message.method, message.params) : isModern(message.method, {})
}

function describe(visit: Visit, message: Message | Batch): void {
  if (message.kind === 'batch') visit.rpcMethod = 'batch'
  if (message.kind !== 'request' && message.kind !== 'notification') return
  visit.rpcMethod = message.method
  const { params } = message
  if (!isObject(params)) return
  const { name, uri, _meta: meta } = params
  if (typeof name === 'string') visit.name = name
  else if (typeof uri === 'string') visit.name = uri
  if (isObject(meta)) visit.metaTraceparent = meta.traceparent
}
