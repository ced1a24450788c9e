// How long sessions of legacy revisions and their events are kept, by clocks that the tests set.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { OutgoingRequests } from '../client-requests/outgoing-requests.js'
import type { CallObserver } from '../definitions/call-observer.js'
import { createChangeEvents } from '../definitions/change-events.js'
import { defineResource } from '../definitions/resource.js'
import { getAnswerText, parseMessage } from '../jsonrpc/message.js'
import { createMcpServer } from '../server/mcp-server.js'
import { createSession } from '../session/session.js'
import type { HttpSession } from './http-session.js'
import { HttpSessions } from './http-sessions.js'

const MINUTE_MS = 60_000
const NOTE = 'note://one'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

function openSessions(onDisconnect: CallObserver['onDisconnect'] = () => {}): HttpSessions {
  const observer = { onStart: () => {}, onEnd: () => {}, onDisconnect }
  const resources = [defineResource({ uri: NOTE, name: 'note', read: () => 'text' })]
  const server = createMcpServer({
    name: 'test',
    version: '0',
    tools: [],
    resources,
    changeEvents: createChangeEvents(),
    observer,
  })
  return new HttpSessions(
    (caller, { server: chosen, ...options }) => createSession(chosen ?? server, caller, options),
    undefined,
  )
}

/** Sends a request; returns its result. */
async function ask({ session, serverStream }: HttpSession, method: string, params: object = {}): Promise<unknown> {
  const message = parseMessage(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return JSON.parse(getAnswerText(await session.receive(message, serverStream)) ?? '{}').result
}

async function initialize(sessions: HttpSessions, user: string): Promise<HttpSession> {
  const session = sessions.open(user)
  const clientInfo = { name: 'editor', version: '1' }
  await ask(session, 'initialize', { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo })
  return session
}

const countActive = (sessions: HttpSessions): number => [...sessions].length

test('a session ends an hour after its last use', () => {
  const sessions = openSessions()
  const { id } = sessions.open('ann')
  vi.advanceTimersByTime(50 * MINUTE_MS)
  expect(sessions.find(id, 'ann')?.id).toBe(id)
  vi.advanceTimersByTime(59 * MINUTE_MS)
  expect(sessions.size).toBe(1)
  vi.advanceTimersByTime(3 * MINUTE_MS)
  expect(sessions.size).toBe(0)
  sessions.close()
})

test.each([2, -2])('a wall clock that jumps by %d hours ends no session', (hours) => {
  const sessions = openSessions()
  sessions.open('ann')
  vi.setSystemTime(Date.now() + hours * 60 * MINUTE_MS)
  vi.advanceTimersByTime(5 * MINUTE_MS)
  expect(sessions.size).toBe(1)
  vi.advanceTimersByTime(60 * MINUTE_MS)
  expect(sessions.size).toBe(0)
  sessions.close()
})

test('events can be replayed for ten minutes after the last use, then they take no memory', () => {
  const sessions = openSessions()
  const session = sessions.open('ann')
  session.closeStream(session.openStream(), 'x'.repeat(100_000))
  vi.advanceTimersByTime(9 * MINUTE_MS)
  expect(session.logSize).toBe(100_000)
  vi.advanceTimersByTime(3 * MINUTE_MS)
  expect([session.logSize, sessions.size]).toEqual([0, 1])
  // What is counted for the user went with them: a log of the full size fits again.
  sessions.find(session.id, 'ann')
  for (let count = 0; count < 5; count++) session.closeStream(session.openStream(), 'x'.repeat(100_000))
  expect(session.logSize).toBe(500_000)
  sessions.close()
})

test('a session that is not used for ten minutes is suspended, and its next request finds it as it was', async () => {
  const ended: unknown[] = []
  const sessions = openSessions((caller) => ended.push(caller))
  const before = await initialize(sessions, 'ann')
  before.closeStream(before.openStream(), 'an answer')
  vi.advanceTimersByTime(12 * MINUTE_MS)
  expect([countActive(sessions), sessions.size, ended]).toEqual([0, 1, []])
  expect([...sessions.suspendedServers()]).toEqual([before.session.server])
  expect(sessions.find(before.id, 'bob')).toBeUndefined()
  const after = sessions.find(before.id, 'ann')
  if (!after) throw new Error('not found')
  expect([after === before, countActive(sessions), sessions.size]).toEqual([false, 1, 1])
  expect(after.session.state.client).toEqual(before.session.state.client)
  expect([after.session.negotiatedRevision, after.session.caller]).toEqual(['2025-11-25', before.session.caller])
  // A stream of before is known, and nothing of it is left; new ones have other names.
  expect(after.findResumePoint('p1.1')?.track.isCompleteAfter(1)).toBe(true)
  expect(after.openStream().name).toBe('p2')
  expect(await ask(after, 'ping')).toEqual({})
  sessions.close()
  expect(ended).toEqual([before.session.caller])
})

test('a suspended session ends an hour after its last use', async () => {
  const ended: string[] = []
  const sessions = openSessions(({ session }) => ended.push(session))
  const { id } = await initialize(sessions, 'ann')
  vi.advanceTimersByTime(59 * MINUTE_MS)
  expect([countActive(sessions), sessions.size]).toEqual([0, 1])
  vi.advanceTimersByTime(3 * MINUTE_MS)
  expect([sessions.size, ended, sessions.find(id, 'ann')]).toEqual([0, [id], undefined])
  sessions.close()
})

test('a session is not suspended while it is subscribed to a resource', async () => {
  const sessions = openSessions()
  const session = await initialize(sessions, 'ann')
  await ask(session, 'resources/subscribe', { uri: NOTE })
  vi.advanceTimersByTime(12 * MINUTE_MS)
  expect(sessions.find(session.id, 'ann')).toBe(session)
  await ask(session, 'resources/unsubscribe', { uri: NOTE })
  vi.advanceTimersByTime(12 * MINUTE_MS)
  expect(countActive(sessions)).toBe(0)
  sessions.close()
})

test('a session that has asked its client something is not suspended, because the answer may be late', async () => {
  const sessions = openSessions()
  const session = await initialize(sessions, 'ann')
  Object.assign(session.session, { outgoingRequests: new OutgoingRequests() })
  vi.advanceTimersByTime(12 * MINUTE_MS)
  expect(sessions.find(session.id, 'ann')).toBe(session)
  sessions.close()
})

test('many sessions that expire together end in several turns of the event loop', async () => {
  const count = 20
  const sessions: HttpSessions = openSessions(() => vi.advanceTimersByTime(1))
  for (let number = 0; number < count; number++) await initialize(sessions, `user-${number}`)
  vi.advanceTimersByTime(61 * MINUTE_MS)
  expect(sessions.size).toBeGreaterThan(count / 2)
  for (let turns = 0; turns < count && sessions.size > 0; turns++) await new Promise((done) => setImmediate(done))
  expect(sessions.size).toBe(0)
  sessions.close()
})
