import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import type { QueueLateAnswers, TakeoverRequest } from '../../sessions/session-leases.js'
import { openStateDatabase, type StateDatabase, type StateTables } from '../../state.js'
import type { CallbackRow, CallbackTables } from './callback-table.js'
import { takeOverSessions } from './session-takeover.js'

const SCOPE = { project: '/srv/project', user: 'ann' }
const NOW = { wallMs: 1_000_000, uptimeMs: 5000, boot: 'now' }

let directory: string
let state: StateDatabase

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'scorpiox-test-'))
  state = await openStateDatabase({ file: join(directory, 'state.db'), databaseUrl: '' })
})
afterEach(async () => {
  await state.close()
})

const row = (session: string, slot: number): CallbackRow => ({
  session,
  slot,
  message: `${session} ${slot}`,
  setAt: 1,
  delayMs: 10_000,
  repeatsLeft: 3,
  fireAt: 1_004_000,
  fireUptime: 9_999_999,
  boot: 'before',
  job: null,
  pattern: null,
  position: null,
})

const takeOverInto = (
  target: string | undefined,
  more: Partial<TakeoverRequest<CallbackTables>> = {},
): TakeoverRequest<CallbackTables> => ({
  target,
  leaseOwner: 'us',
  now: NOW,
  isOwnerGone: ({ owner }) => owner === 'dead',
  isAbandoned: () => false,
  isContinued: () => false,
  queueLateAnswers: () => Promise.resolve(),
  ...more,
})

async function addSession(rows: StateTables, session: string, owner: string | undefined, count: number): Promise<void> {
  for (let slot = 0; slot < count; slot++) await rows.callbacks.upsert(row(session, slot))
  await rows.messages.insert({ session, kind: 'callback', text: `for ${session}`, createdAt: 1 })
  if (owner !== undefined) await rows.sessions.upsert({ name: session, owner, renewedAt: 1 })
}

const all = () =>
  state.read(SCOPE, async ({ callbacks, messages, sessions }) => ({
    callbacks: (await callbacks.list()).map(({ session, slot, message }) => `${session}/${slot}: ${message}`),
    times: (await callbacks.list()).map(({ fireAt, fireUptime, boot }) => [fireAt, fireUptime, boot]),
    messages: (await messages.listPending()).map(({ session, text }) => `${session}: ${text}`),
    sessions: (await sessions.list()).map(({ name, owner }) => `${name}: ${owner}`),
  }))

test('takes over dead and released sessions, but not live ones', async () => {
  const unmoved = await state.write(SCOPE, async (rows) => {
    await addSession(rows, 'dead one', 'dead', 2)
    await addSession(rows, 'released', undefined, 1)
    await addSession(rows, 'alive', 'other', 1)
    await rows.sessions.upsert({ name: 'empty', owner: 'dead', renewedAt: 1 })
    await rows.sessions.upsert({ name: 'new', owner: 'us', renewedAt: 1 })
    return takeOverSessions(rows, takeOverInto('new'))
  })
  expect(unmoved).toEqual([])
  const { callbacks, times, messages, sessions } = await all()
  expect(callbacks).toEqual(['alive/0: alive 0', 'new/0: dead one 0', 'new/1: dead one 1', 'new/2: released 0'])
  expect(messages).toEqual(['new: for dead one', 'new: for released', 'alive: for alive'])
  expect(sessions).toEqual(['alive: other', 'new: us'])
  // Callbacks of other processes stay unchanged; those of this process are rebased to this boot.
  expect(times).toEqual([
    [1_004_000, 9_999_999, 'before'],
    ...Array.from({ length: 3 }, () => [1_004_000, 9010, 'now']),
  ])
})

test('leases callbacks without a free slot and moves them later', async () => {
  const unmoved = await state.write(SCOPE, async (rows) => {
    await addSession(rows, 'dead', 'dead', 8)
    for (let slot = 0; slot < 6; slot++) await rows.callbacks.upsert(row('new', slot))
    await rows.sessions.upsert({ name: 'new', owner: 'us', renewedAt: 1 })
    return takeOverSessions(rows, takeOverInto('new'))
  })
  expect(unmoved).toEqual(['dead'])
  expect((await all()).callbacks).toHaveLength(14)
  expect((await all()).messages).toEqual(['new: for dead'])
  expect((await all()).sessions).toEqual(['dead: us', 'new: us'])
  await state.write(SCOPE, async (rows) => {
    for (let slot = 0; slot < 8; slot++) await rows.callbacks.remove('new', slot)
    return takeOverSessions(rows, takeOverInto('new', { isAbandoned: (name) => name === 'dead' }))
  })
  expect((await all()).callbacks.filter((one) => !one.startsWith('new/'))).toEqual([])
  expect((await all()).sessions).toEqual(['new: us'])
})

test('without a live session leases everything unchanged', async () => {
  const unmoved = await state.write(SCOPE, async (rows) => {
    await addSession(rows, 'dead', 'dead', 2)
    return takeOverSessions(rows, takeOverInto(undefined))
  })
  expect(unmoved).toEqual(['dead'])
  expect((await all()).callbacks).toEqual(['dead/0: dead 0', 'dead/1: dead 1'])
  expect((await all()).sessions).toEqual(['dead: us'])
})

test('queues late answers of dead sessions and takes over open questions', async () => {
  const question = { text: 'Which?', header: null, choices: [{ label: 'a', description: null }], multiple: false }
  const asked: string[] = []
  const queueLateAnswers: QueueLateAnswers<CallbackTables> = async ({ messages }, sessions) => {
    asked.push(...sessions)
    await messages.insert({ session: 'dead', kind: 'answer', text: 'a', createdAt: 2 })
  }
  const unmoved = await state.write(SCOPE, async (rows) => {
    await rows.questions.insert({ session: 'dead', askedAt: 1, waiting: true, questions: [question] })
    await rows.sessions.upsert({ name: 'dead', owner: 'dead', renewedAt: 1 })
    await rows.sessions.upsert({ name: 'new', owner: 'us', renewedAt: 1 })
    return takeOverSessions(rows, takeOverInto('new', { queueLateAnswers }))
  })
  expect(asked).toEqual(['dead'])
  expect(unmoved).toEqual([])
  expect((await all()).messages).toEqual(['new: a'])
  expect((await all()).sessions).toEqual(['new: us'])
  const open = await state.read(SCOPE, ({ questions }) => questions.listOpen())
  expect(open.map(({ session }) => session)).toEqual(['new'])
})
