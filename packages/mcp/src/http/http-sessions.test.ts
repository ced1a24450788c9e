// How long sessions of legacy revisions and their events are kept, by clocks that the tests set.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { createMcpServer } from '../server/mcp-server.js'
import { createSession } from '../session/session.js'
import { HttpSessions } from './http-sessions.js'

const MINUTE_MS = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

function openSessions(): HttpSessions {
  const server = createMcpServer({ name: 'test', version: '0', tools: [] })
  return new HttpSessions(
    (caller, { server: chosen, ...options }) => createSession(chosen ?? server, caller, options),
    undefined,
  )
}

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
