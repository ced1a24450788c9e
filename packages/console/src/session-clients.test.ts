import { afterEach, describe, expect, test, vi } from 'vitest'

import type { CallQuery, CallView } from './view.js'
import { createSessionClients } from './session-clients.js'

const NOW = Date.parse('2026-11-20T10:00:00Z')

afterEach(() => {
  vi.useRealTimers()
})

function callOf(session: string, client: string, more: Partial<CallView> = {}): CallView {
  return {
    id: 'a.1',
    server: 'a',
    project: '/srv/p',
    session,
    client,
    tool: 'Bash',
    about: '',
    outcome: 'ok',
    startedAt: NOW,
    ms: 10,
    error: null,
    ...more,
  }
}

interface Setup {
  readonly reported?: readonly CallView[]
  readonly kept?: readonly CallView[]
  readonly isKept?: boolean
}

function setUp({ reported = [], kept = [], isKept = true }: Setup = {}) {
  const queries: CallQuery[] = []
  let changes = 0
  const clients = createSessionClients({
    user: 'ann',
    history: {
      isKept,
      async list(_user, query, limit) {
        queries.push(query)
        const before = Number(query.after?.split('~')[0] ?? Infinity)
        const found = kept.filter((call) => call.session === query.session && call.startedAt < before)
        return { calls: found.slice(0, limit), next: undefined }
      },
    },
    listCalls: () => reported,
    onChange: () => changes++,
  })
  return { clients, queries, changes: () => changes }
}

describe('a session of one client', () => {
  test('has the name that its calls report, and keeps it when they are no longer reported', () => {
    const { clients, queries } = setUp()
    clients.note([callOf('s1', 'atlas 2.1'), callOf('s2', ''), callOf('board', 'console 1')])
    clients.note([callOf('s3', 'boreal 1')])
    expect(clients.find({ session: 's1' })).toBe('atlas 2.1')
    expect(clients.find({ session: undefined })).toBeUndefined()
    expect(queries).toEqual([])
  })

  test('is looked up in the history once, if no call of it is reported', async () => {
    const { clients, queries, changes } = setUp({ kept: [callOf('s1', 'atlas 2.1')] })
    for (const session of ['s1', 's1', 'unknown', 'unknown']) expect(clients.find({ session })).toBeUndefined()
    await clients.settled()
    expect([clients.find({ session: 's1' }), clients.find({ session: 'unknown' })]).toEqual(['atlas 2.1', undefined])
    expect(queries.map(({ session }) => session)).toEqual(['s1', 'unknown'])
    expect(changes()).toBe(2)
  })

  test('has no name if the history is off, or cannot be read', async () => {
    const { clients, queries } = setUp({ isKept: false })
    expect(clients.find({ session: 's1' })).toBeUndefined()
    expect(queries).toEqual([])
    const failing = createSessionClients({
      user: 'ann',
      history: { isKept: true, list: () => Promise.reject(new Error('no disk')) },
      listCalls: () => [],
      onChange: () => {},
    })
    expect(failing.find({ session: 's1' })).toBeUndefined()
    await failing.settled()
    expect(failing.find({ session: 's1' })).toBeUndefined()
  })
})

describe('the session that requests without one share', () => {
  const item = { session: 'user:ann', at: NOW, tools: ['AskUserQuestion'] }
  const atlas = callOf('user:ann', 'atlas 2.1', { tool: 'AskUserQuestion', startedAt: NOW - 5, outcome: 'running' })

  test('names the client whose call has made the item, not that of another tool or time', async () => {
    vi.useFakeTimers({ now: NOW + 2000, toFake: ['Date'] })
    const others = [
      callOf('user:ann', 'boreal 1', { outcome: 'running', startedAt: NOW - 100 }),
      callOf('user:ann', 'boreal 1', { tool: 'AskUserQuestion', outcome: 'running', startedAt: NOW - 60_000 }),
      callOf('user:ann', 'boreal 1', { tool: 'AskUserQuestion', startedAt: NOW + 5 }),
      callOf('user:ann', 'boreal 1', { tool: 'AskUserQuestion', startedAt: NOW - 500 }),
    ]
    const { clients } = setUp({ reported: [...others, atlas] })
    expect(clients.find(item)).toBeUndefined()
    await clients.settled()
    expect(clients.find(item)).toBe('atlas 2.1')
    expect(clients.find({ session: 'user:ann' })).toBeUndefined()
  })

  test('names none if two clients may have made the item', async () => {
    vi.useFakeTimers({ now: NOW + 2000, toFake: ['Date'] })
    const { clients } = setUp({ reported: [atlas, { ...atlas, client: 'boreal 1' }] })
    clients.find(item)
    await clients.settled()
    expect(clients.find(item)).toBeUndefined()
  })

  test('names none until the call of a new item must have been reported, and looks again then', async () => {
    vi.useFakeTimers({ now: NOW })
    const { clients, changes } = setUp({ reported: [atlas] })
    expect(clients.find(item)).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1000)
    expect(changes()).toBe(1)
    clients.find(item)
    await clients.settled()
    expect(clients.find(item)).toBe('atlas 2.1')
  })

  test('finds the call of an older item in the history', async () => {
    vi.useFakeTimers({ now: NOW + 3_600_000, toFake: ['Date'] })
    const { clients } = setUp({ kept: [{ ...atlas, outcome: 'ok', ms: 30 }] })
    clients.find(item)
    await clients.settled()
    expect(clients.find(item)).toBe('atlas 2.1')
  })
})

test('lists the clients of each server, the one with the latest call first, without reruns of the user, at most 50', () => {
  const { clients } = setUp()
  const minute = 60_000
  clients.note([
    callOf('s1', 'atlas 2.1', { startedAt: NOW + 1234 }),
    callOf('s2', 'boreal 1', { startedAt: NOW + 2 * minute }),
    callOf('s1', 'atlas 2.1', { startedAt: NOW - minute, outcome: 'running' }),
    callOf('board', 'console 1', { startedAt: NOW + 3 * minute }),
    callOf('s3', '', { startedAt: NOW }),
    callOf('s4', 'other 1', { server: 'b' }),
  ])
  expect(clients.listOfServer('a')).toEqual([
    { session: 's2', client: 'boreal 1', lastCallAt: NOW + 2 * minute },
    { session: 's1', client: 'atlas 2.1', lastCallAt: NOW },
  ])
  expect(clients.listOfServer('unknown')).toEqual([])
  clients.note(Array.from({ length: 80 }, (_, n) => callOf(`many${n}`, 'many', { startedAt: NOW + n * minute })))
  expect(clients.listOfServer('a')).toHaveLength(50)
  expect(clients.listOfServer('a')[0]?.session).toBe('many79')
})
