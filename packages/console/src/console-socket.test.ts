import { mkdtempSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, expect, test } from 'vitest'

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { createCallLog } from '@scorpiox/mcp/server/call-log'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import { openStateDatabase, type StateDatabase } from '@scorpiox/server/state'
import { openConsoleSocket } from './console-socket.js'
import { createServerFeed, type ServerFeed } from './server-feed.js'
import { createUserConsole } from './user-console.js'
import type { ConsoleChange } from './view.js'

const endings: (() => unknown)[] = []

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

async function location() {
  const directory = mkdtempSync(join(tmpdir(), 'scorpiox-test-'))
  const state: StateDatabase = await openStateDatabase({ file: join(directory, 'state.db'), databaseUrl: '' })
  endings.push(() => state.close())
  const lazy: LazyStateDatabase = {
    open: () => Promise.resolve(state),
    onOpen: (use) => use(state),
    close: () => Promise.resolve(),
  }
  return { socketDirectory: join(directory, 'desks'), lazy, state }
}

function createFeed(state: LazyStateDatabase, id: string, callLog = createCallLog()): ServerFeed {
  const server = { id, pid: 1, transport: 'stdio', project: '/srv/p', startedAt: 1, version: '1', tools: [] } as const
  return createServerFeed({
    id,
    project: '/srv/p',
    callLog,
    changeEvents: createChangeEvents(),
    jobs: () => undefined,
    state,
    secrets: { listQuestions: () => [], answer: () => {}, onChange: () => () => {} },
    readServerView: async () => server,
  })
}

async function openServerSocket(
  socketDirectory: string,
  state: LazyStateDatabase,
  id = '00000000000000aa',
  silenceMs?: number,
): Promise<ServerFeed> {
  const feed = createFeed(state, id)
  const socket = await openConsoleSocket(feed, socketDirectory, silenceMs)
  endings.push(() => socket.close())
  return feed
}

test('the feeds report presence exactly while a user watches', async () => {
  const { socketDirectory, lazy } = await location()
  const feed = await openServerSocket(socketDirectory, lazy)
  const userConsole = createUserConsole({
    user: 'ann',
    localFeed: undefined,
    socketDirectory,
    state: lazy,
    project: '/srv/p',
  })
  let changes = 0
  feed.onChange(() => changes++)
  const first = userConsole.watch(() => {})
  const second = userConsole.watch(() => {})
  await expect.poll(() => feed.isPresent('ann')).toBe(true)
  expect(feed.isPresent('bob')).toBe(false)
  first()
  first()
  // Answered after whatever was sent on the same connection.
  await expect(userConsole.kill({ server: feed.id, id: 1 })).rejects.toThrow('no background task 1')
  expect(feed.isPresent('ann')).toBe(true)
  second()
  await expect.poll(() => feed.isPresent('ann')).toBe(false)
  expect(changes).toBe(2)
  // A console that only acts does not count as watching.
  await expect(userConsole.kill({ server: feed.id, id: 1 })).rejects.toThrow('no background task 1')
  expect(feed.isPresent('ann')).toBe(false)
  await userConsole.close()
})

test('a broken connection ends presence, and a restarted server is found', async () => {
  const { socketDirectory, lazy } = await location()
  const feed = await openServerSocket(socketDirectory, lazy)
  const name = readdirSync(socketDirectory).find((each) => each.endsWith('.sock')) ?? ''
  const line = connect(join(socketDirectory, name))
  line.write('{"kind":"presence","user":"ann","watching":true}\n')
  await expect.poll(() => feed.isPresent('ann')).toBe(true)
  line.destroy()
  await expect.poll(() => feed.isPresent('ann')).toBe(false)

  const shown: ConsoleChange[] = []
  const userConsole = createUserConsole({
    user: 'ann',
    localFeed: undefined,
    socketDirectory,
    state: lazy,
    project: '/srv/p',
  })
  endings.push(() => userConsole.close())
  userConsole.watch((change) => shown.push(change))
  await expect.poll(() => shown.at(-1)?.servers).toHaveLength(1)
  await endings.splice(1, 1)[0]?.()
  await expect.poll(() => shown.at(-1)?.servers, { timeout: 5000 }).toEqual([])
  await openServerSocket(socketDirectory, lazy, '00000000000000bb')
  await expect.poll(() => shown.at(-1)?.servers?.[0]?.id, { timeout: 5000 }).toBe('00000000000000bb')
})

test('a silent console is disconnected, one with heartbeats is not', async () => {
  const { socketDirectory, lazy } = await location()
  const feed = await openServerSocket(socketDirectory, lazy, '00000000000000cc', 500)
  const address = join(socketDirectory, '00000000000000cc.sock')
  const present = '{"kind":"presence","user":"ann","watching":true}\n'
  const [silent, heartbeating] = [connect(address), connect(address)]
  const disconnected = new Promise((resolve) => silent.once('close', resolve))
  let isActiveOpen = true
  heartbeating.once('close', () => (isActiveOpen = false))
  for (const line of [silent, heartbeating]) line.resume().write(present)
  const heartbeats = setInterval(() => heartbeating.write(present), 50)
  await disconnected
  expect([isActiveOpen, feed.isPresent('ann')]).toEqual([true, true])
  clearInterval(heartbeats)
  await expect.poll(() => isActiveOpen, { timeout: 5000 }).toBe(false)
  expect(feed.isPresent('ann')).toBe(false)
})

test('sends each changed part whole, and nothing twice', async () => {
  const { socketDirectory, lazy, state } = await location()
  await openServerSocket(socketDirectory, lazy)
  const shown: ConsoleChange[] = []
  const userConsole = createUserConsole({
    user: 'ann',
    localFeed: undefined,
    socketDirectory,
    state: lazy,
    project: '/srv/p',
  })
  endings.push(() => userConsole.close())
  userConsole.watch((change) => shown.push(change))
  await expect.poll(() => shown.map(({ servers }) => servers?.length)).toContain(1)
  expect(Object.keys(shown[0] ?? {})).toHaveLength(10)
  const scope = { project: '/srv/p', user: 'ann' }
  for (let times = 0; times < 30; times++) await state.write(scope, ({ tasks }) => tasks.insert(`task ${times}`, 1))
  await state.write({ project: '/srv/p', user: 'bob' }, ({ tasks }) => tasks.insert('of bob', 1))
  await expect.poll(() => shown.at(-1)?.projects?.[0]?.openTasks).toBe(30)
  await state.write(scope, ({ tasks }) => tasks.insert('the last', 1))
  await expect.poll(() => shown.at(-1)?.projects?.[0]?.openTasks).toBe(31)
  expect(shown.slice(1).filter((change) => Object.keys(change).length > 2)).toEqual([])
  const texts = shown.flatMap(({ projects }) => (projects ? [JSON.stringify(projects)] : []))
  expect([...new Set(texts)]).toEqual(texts)
  expect(JSON.stringify(shown)).not.toContain('of bob')
})

test('the calls of a user are published in single lines', async () => {
  const { lazy } = await location()
  const callLog = createCallLog()
  const feed = createFeed(lazy, '00000000000000ab', callLog)
  endings.push(() => feed.close())
  const input = { command: `make\n  \u001b[31mall ${'x'.repeat(200)}`, timeout: 5 }
  callLog.onStart({ user: 'ann', session: 's' }, { tool: 'Ba\nsh', input })
  callLog.onStart({ user: 'bob', session: 's' }, { tool: 'Bash', input: {} })
  const calls = await new Promise((resolve) => {
    feed.subscribe('ann', (update) => 'calls' in update && resolve(update.calls))
  })
  expect(calls).toMatchObject([
    {
      server: '00000000000000ab',
      tool: 'Ba sh',
      about: expect.stringMatching(/^make \[31mall x+$/),
      outcome: 'running',
    },
  ])
})
