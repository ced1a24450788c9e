// Sessions whose clients leave, and workspaces that move between machines, while callbacks wait and messages are sent.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { openStateDatabase, type StateDatabase } from '../../state.js'
import type { CallbackRow } from './callback-table.js'
import { type CallbackSync, createCallbackSync } from './callback-sync.js'

const SCOPE = { project: '/srv/project', user: 'ann' }
const FIRST = { user: 'ann', session: 'first' }
const SECOND = { user: 'ann', session: 'second' }
const DUE: CallbackRow = {
  session: 'first',
  slot: 0,
  message: 'wake up',
  setAt: 1,
  delayMs: 1000,
  repeatsLeft: 1,
  fireAt: 1000,
  fireUptime: 1000,
  boot: 'now',
  job: null,
  pattern: null,
  position: null,
}

let directory: string
let state: StateDatabase
let uptimeMs = 0
let inboxOf: string | undefined
/** Before each write; may wait or throw. */
let beforeWrite: () => Promise<void> = () => Promise.resolve()
const opened: CallbackSync[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'scorpiox-test-'))
  state = await openStateDatabase({ file: join(directory, 'state.db'), databaseUrl: '' })
  uptimeMs = 5000
  inboxOf = undefined
  beforeWrite = () => Promise.resolve()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sync) => sync.close()))
  await state.close()
})

/** As on one of several machines: each is the only one that has leases. */
function openSync(leaseOwner = 'us'): CallbackSync {
  const sync = createCallbackSync({
    state: {
      ...state,
      async write(scope, work) {
        await beforeWrite()
        return state.write(scope, work)
      },
    },
    project: SCOPE.project,
    changeEvents: createChangeEvents(),
    clock: () => ({ wallMs: uptimeMs, uptimeMs, boot: 'now' }),
    leaseOwner,
    isOwnerGone: ({ owner }) => owner !== leaseOwner,
    mayAct: () => true,
    claimsMessages: true,
    flags: undefined,
    jobs: () => Promise.reject(new Error('no jobs')),
    patterns: () => Promise.reject(new Error('no patterns')),
    isBusy: () => true,
    sideEffects: { run: () => {}, close: () => Promise.resolve() },
    inbox: { directoryOf: () => inboxOf, fileStemOf: () => 'message' },
    queueLateAnswers: () => Promise.resolve(),
    createWakeTimer: () => ({ wake: () => {}, close: () => Promise.resolve() }),
    warn: () => {},
  })
  opened.push(sync)
  return sync
}

const insertMessage = (session: string) =>
  state.write(SCOPE, ({ messages }) => messages.insert({ session, kind: 'callback', text: 'wake up', createdAt: 1 }))
const pending = () => state.read(SCOPE, async ({ messages }) => (await messages.listPending()).map(({ text }) => text))

/** What the result of a call has in front; it is written, or cannot be. */
async function answer(sync: CallbackSync, caller: typeof FIRST, isWritten = true): Promise<string | undefined> {
  await sync.prepare?.(caller)
  const batch = sync.takeBatch(caller)
  if (isWritten) batch?.confirm()
  else batch?.release()
  return batch?.text
}

test('a session that is closed while its lease is claimed leaves its messages to the next one', async () => {
  const sync = openSync()
  beforeWrite = () => {
    sync.sessionClosed(FIRST)
    return Promise.resolve()
  }
  await sync.writeWithLease(FIRST, ({ messages }) =>
    messages.insert({ session: 'first', kind: 'callback', text: 'wake up', createdAt: 1 }).then(() => {}),
  )
  expect(await answer(sync, SECOND)).toBe('wake up')
})

test('a call of a session that was closed before makes it a live one', async () => {
  const sync = openSync()
  sync.sessionClosed(FIRST)
  sync.sessionPresent(FIRST)
  await sync.writeWithLease(FIRST, ({ callbacks }) => callbacks.upsert({ ...DUE, fireUptime: 9_000_000 }))
  await insertMessage('first')
  await sync.reload('ann')
  expect([await answer(sync, SECOND), await answer(sync, FIRST)]).toEqual([undefined, 'wake up'])
})

test('a machine that lost a workspace and claims it again fires what waits there', async () => {
  const sync = openSync()
  await sync.writeWithLease(FIRST, ({ callbacks }) => callbacks.upsert(DUE))
  sync.forget('ann')
  await sync.adopt('ann')
  expect(await answer(sync, FIRST)).toContain('wake up')
})

test('the first result after a claim has the messages of the machine before', async () => {
  const before = openSync('before')
  await before.writeWithLease(FIRST, () => Promise.resolve())
  await insertMessage('first')
  const sync = openSync()
  const adopted = sync.adopt('ann')
  expect(await answer(sync, FIRST)).toBe('wake up')
  await adopted
})

test('a message counts as delivered before it is sent, and not if it cannot be sent', async () => {
  const sync = openSync()
  await sync.writeWithLease(FIRST, () => Promise.resolve())
  await insertMessage('first')
  await sync.reload('ann')
  await sync.prepare?.(FIRST)
  expect(await pending()).toEqual([])
  sync.takeBatch(FIRST)?.release()
  await sync.recordDeliveries()
  expect(await pending()).toEqual(['wake up'])
  expect([await answer(sync, FIRST), await answer(sync, FIRST)]).toEqual(['wake up', undefined])
  expect(await pending()).toEqual([])
})

test('without the database a message is not sent, and comes with a later result', async () => {
  const sync = openSync()
  await sync.writeWithLease(FIRST, () => Promise.resolve())
  await insertMessage('first')
  await sync.reload('ann')
  beforeWrite = () => Promise.reject(new Error('no database'))
  expect(await answer(sync, FIRST)).toBeUndefined()
  beforeWrite = () => Promise.resolve()
  expect([await answer(sync, FIRST), await answer(sync, FIRST)]).toEqual(['wake up', undefined])
})

test('messages that no result took are pending again', async () => {
  const sync = openSync()
  await sync.writeWithLease(FIRST, () => Promise.resolve())
  await insertMessage('first')
  await sync.reload('ann')
  await sync.prepare?.(FIRST)
  await new Promise((resolve) => setImmediate(resolve))
  await sync.recordDeliveries()
  expect(await pending()).toEqual(['wake up'])
  expect(await answer(sync, FIRST)).toBe('wake up')
})

test('a message that was in the inbox and could not be sent is not taken for read there', async () => {
  inboxOf = directory
  const sync = openSync()
  await sync.writeWithLease(FIRST, () => Promise.resolve())
  await insertMessage('first')
  await sync.reload('ann')
  const file = () => state.read(SCOPE, async ({ messages }) => (await messages.listPending())[0]?.file)
  while (typeof (await file()) !== 'string') await new Promise((resolve) => setImmediate(resolve))
  expect(await answer(sync, FIRST, false)).toBe('wake up')
  await sync.recordDeliveries()
  await sync.reload('ann')
  expect(await pending()).toEqual(['wake up'])
  expect(await answer(sync, FIRST)).toBe('wake up')
})
