import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, expect, test, vi } from 'vitest'

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { createCallLog } from '@scorpiox/mcp/server/call-log'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import { identifyProcess } from '@scorpiox/server/process/process-identity'
import { openStateDatabase, type StateDatabase } from '@scorpiox/server/state'
import { connectToConsole, consoleAddressIn } from '../../../test/support/socket-address.js'
import { openConsoleSocket } from './console-socket.js'
import { createDeferredCallRecorder } from '@scorpiox/server/features/history/index'
import { createCallHistory, redactTokens } from '@scorpiox/server/features/history/lazy'
import { type CallsOfUser, createFeedCalls } from './feed-calls.js'
import { openFeedConnections } from './feed-connections.js'
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
  const lazy: LazyStateDatabase = {
    open: () => Promise.resolve(state),
    onOpen: (use) => use(state),
    close: () => Promise.resolve(),
  }
  const history = createCallHistory({
    CALL_HISTORY: true,
    CALL_HISTORY_DAYS: 1,
    DATABASE_URL: '',
    STATE_DIR: directory,
  })
  endings.push(async () => {
    await history.close()
    await state.close()
  })
  return { socketDirectory: join(directory, 'desks'), lazy, state, history }
}

function createFeed(
  state: LazyStateDatabase,
  id: string,
  callLog = createCallLog(),
  change: (calls: CallsOfUser) => CallsOfUser = (calls) => calls,
): ServerFeed {
  const server = { id, pid: 1, transport: 'stdio', project: '/srv/p', startedAt: 1, version: '1', tools: [] } as const
  const callsFor = createFeedCalls({
    callLog,
    recorder: createDeferredCallRecorder(
      callLog,
      () => Promise.reject(new Error('nothing is read in detail')),
      () => {},
    ),
    history: () => Promise.reject(new Error('nothing is read in detail')),
    mcpServer: () => undefined,
    sourceFor: () => ({ server: id, project: '/srv/p', secrets: [], redactTokens }),
  })
  return createServerFeed({
    id,
    project: '/srv/p',
    callLog,
    callsFor: (user) => change(callsFor(user)),
    changeEvents: createChangeEvents(),
    jobs: () => undefined,
    authorizeJob: async () => {},
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
  platform?: NodeJS.Platform,
): Promise<ServerFeed> {
  const feed = createFeed(state, id)
  const socket = await openConsoleSocket(feed, socketDirectory, silenceMs, platform)
  endings.push(() => socket.close())
  return feed
}

test('the feeds report presence exactly while a user watches', async () => {
  const { socketDirectory, lazy, history } = await location()
  const feed = await openServerSocket(socketDirectory, lazy)
  const userConsole = createUserConsole({
    user: 'ann',
    localFeed: undefined,
    socketDirectory,
    state: lazy,
    history,
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
  await expect(userConsole.kill({ server: feed.id, id: 1 })).rejects.toThrow('no job 1')
  expect(feed.isPresent('ann')).toBe(true)
  second()
  await expect.poll(() => feed.isPresent('ann')).toBe(false)
  expect(changes).toBe(2)
  // A console that only acts does not count as watching.
  await expect(userConsole.kill({ server: feed.id, id: 1 })).rejects.toThrow('no job 1')
  expect(feed.isPresent('ann')).toBe(false)
  await userConsole.close()
})

test('a broken connection ends presence, and a restarted server is found', async () => {
  const { socketDirectory, lazy, history } = await location()
  const feed = await openServerSocket(socketDirectory, lazy)
  const line = connectToConsole(socketDirectory, feed.id)
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
    history,
    project: '/srv/p',
  })
  endings.push(() => userConsole.close())
  userConsole.watch((change) => shown.push(change))
  await expect.poll(() => shown.at(-1)?.servers).toHaveLength(1)
  await endings.splice(1, 1)[0]?.()
  await expect.poll(() => shown.at(-1)?.servers, { timeout: 5000 }).toMatchObject([{ isGone: true }])
  await openServerSocket(socketDirectory, lazy, '00000000000000bb')
  await expect.poll(() => shown.at(-1)?.servers?.[0]?.id, { timeout: 5000 }).toBe('00000000000000bb')
})

test('a request of a newer console is answered, and the connection stays', async () => {
  const { socketDirectory, lazy } = await location()
  const feed = await openServerSocket(socketDirectory, lazy, '00000000000000dd')
  const line = connectToConsole(socketDirectory, feed.id)
  endings.push(async () => void line.destroy())
  let received = ''
  line.on('data', (chunk: Buffer) => (received += chunk.toString()))
  line.write('{"kind":"presence","user":"ann","watching":true}\n{"kind":"ask","id":7,"verb":"dance","step":1}\n')
  await expect.poll(() => received).toContain('"to":7,"failure":"The server of this job runs another version')
  expect(feed.isPresent('ann')).toBe(true)
})

test('a silent console is disconnected, one with heartbeats is not', async () => {
  const { socketDirectory, lazy } = await location()
  const feed = await openServerSocket(socketDirectory, lazy, '00000000000000cc', 500)
  const present = '{"kind":"presence","user":"ann","watching":true}\n'
  const silent = connectToConsole(socketDirectory, feed.id)
  const heartbeating = connectToConsole(socketDirectory, feed.id)
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

test('as on Windows, only a console that knows the key of the registry is answered', async () => {
  const { socketDirectory, lazy, history } = await location()
  const id = '00000000000000dd'
  const feed = await openServerSocket(socketDirectory, lazy, id, undefined, 'win32')
  const present = '{"kind":"presence","user":"ann","watching":true}\n'
  const { key = '' } = JSON.parse(readFileSync(join(socketDirectory, `${id}.json`), 'utf8'))
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  for (const first of ['', `${'0'.repeat(64)}\n`, `${key}0\n`]) {
    const stranger = connect(consoleAddressIn(socketDirectory, id))
    let received = ''
    stranger.on('data', (chunk) => (received += chunk))
    const disconnected = new Promise((resolve) => stranger.once('close', resolve))
    stranger.write(`${first}${present}`)
    await disconnected
    expect(received).toBe('')
  }
  expect(feed.isPresent('ann')).toBe(false)
  const options = { user: 'ann', localFeed: undefined, socketDirectory, state: lazy, history, project: '/srv/p' }
  const userConsole = createUserConsole(options)
  endings.push(() => userConsole.close())
  userConsole.watch(() => {})
  await expect.poll(() => feed.isPresent('ann')).toBe(true)
  await expect(userConsole.kill({ server: id, id: 1 })).rejects.toThrow('no job 1')
})

test('sends each changed part whole, and nothing twice', async () => {
  const { socketDirectory, lazy, state, history } = await location()
  await openServerSocket(socketDirectory, lazy)
  const shown: ConsoleChange[] = []
  const userConsole = createUserConsole({
    user: 'ann',
    localFeed: undefined,
    socketDirectory,
    state: lazy,
    history,
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
  const client = { name: 'probe', version: '2' }
  const input = { command: `make\n  \u001b[31mall ${'x'.repeat(200)}`, timeout: 5 }
  callLog.onStart({ user: 'ann', session: 's' }, { tool: 'Ba\nsh', input, client })
  callLog.onStart({ user: 'bob', session: 's' }, { tool: 'Bash', input: {}, client })
  const calls = await new Promise((resolve) => {
    feed.subscribe('ann', (update) => 'calls' in update && resolve(update.calls))
  })
  expect(calls).toMatchObject([
    {
      server: '00000000000000ab',
      tool: 'Ba sh',
      // A word that is cut could be a part of a secret.
      about: 'make [31mall …',
      outcome: 'running',
    },
  ])
})

test('a server whose process has exited is gone, also if another process holds its socket open', async () => {
  const { socketDirectory, lazy } = await location()
  const id = '00000000000000aa'
  await openServerSocket(socketDirectory, lazy, id)
  // The socket stays open in this process, while the entry names another one.
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  endings.push(() => child.kill('SIGKILL'))
  const owner = identifyProcess(child.pid)
  const file = join(socketDirectory, `${id}.json`)
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), owner }), { mode: 0o600 })
  const connections = openFeedConnections({ user: 'ann', localFeed: undefined, socketDirectory, onUpdate() {} })
  endings.push(() => connections.close())
  await vi.waitFor(() => expect(connections.all().map(({ latest }) => latest.server?.id)).toEqual([id]), 10_000)
  child.kill('SIGKILL')
  await vi.waitFor(() => expect(connections.all()).toEqual([]), 10_000)
  expect(connections.gone.list([])).toMatchObject([{ server: { id, isGone: true } }])
})

test('a server that does not answer delays a search of calls only a little, and is named', async () => {
  const { socketDirectory, lazy, history } = await location()
  await openServerSocket(socketDirectory, lazy)
  const hung = createFeed(lazy, '00000000000000bb', createCallLog(), (feed) => ({
    ...feed,
    search: () => new Promise(() => {}),
  }))
  const socket = await openConsoleSocket(hung, socketDirectory)
  endings.push(() => socket.close())
  const options = { user: 'ann', localFeed: undefined, socketDirectory, state: lazy, history, project: '/srv/p' }
  const userConsole = createUserConsole(options)
  endings.push(() => userConsole.close())
  const query = { project: null, session: null, tool: null, outcome: null, text: 'x', after: null }
  await expect.poll(async () => (await userConsole.listCalls(query)).missing).toContain(hung.id)
  const startedAt = performance.now()
  expect(await userConsole.listCalls(query)).toMatchObject({ calls: [], next: null })
  // A request over the socket is given up after 5 s.
  expect(performance.now() - startedAt).toBeLessThan(4000)
})
