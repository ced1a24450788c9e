import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { type ChangeEvent, createChangeEvents } from '../definitions/change-events.js'
import { createInMemoryTaskHandleStore, type TaskHandleRecord, type TaskHandleStore } from './task-handle-store.js'
import type { TaskHandleQuestion } from './task-handle.js'
import { createTaskHandles } from './task-handles.js'

function open(store: TaskHandleStore = createInMemoryTaskHandleStore()) {
  const changeEvents = createChangeEvents()
  const events: ChangeEvent[] = []
  changeEvents.subscribe((event) => events.push(event))
  const taskHandles = createTaskHandles(store, changeEvents)
  const abort = vi.fn<(reason: string) => void>()
  const create = async (user = 'ann') => {
    const taskHandle = await taskHandles.create({ user, abort })
    const { taskId } = JSON.parse(`{${taskHandle.members}}`)
    return { taskHandle, id: String(taskId) }
  }
  const statusOf = async (id: string, user = 'ann'): Promise<string> =>
    JSON.parse(`{${await taskHandles.describe(user, id)}}`).status
  return { taskHandles, changeEvents: events, abort, create, statusOf }
}

/** A store that can be slow or fail. */
function failingStore() {
  const memory = createInMemoryTaskHandleStore()
  const state = { saving: Promise.resolve(), isFull: false }
  const store: TaskHandleStore = {
    async save(record) {
      await state.saving
      if (state.isFull) throw new Error('disk full')
      await memory.save(record)
    },
    load: (user, id) => memory.load(user, id),
  }
  return { state, store }
}

test('another user can neither read nor change a task', async () => {
  const { taskHandles, abort, create, statusOf } = open()
  const { taskHandle, id } = await create('ann')
  const notFound = expect.objectContaining({ code: -32602 })
  for (const user of ['bob', '', 'ann\n', 'Ann']) {
    await expect(taskHandles.describe(user, id)).rejects.toEqual(notFound)
    await expect(taskHandles.answer(user, id, {})).rejects.toEqual(notFound)
    await expect(taskHandles.cancel(user, id)).rejects.toEqual(notFound)
  }
  expect(abort).not.toHaveBeenCalled()
  await taskHandle.finish({ result: '{}' })
  await expect(taskHandles.describe('bob', id)).rejects.toEqual(notFound)
  expect(await statusOf(id)).toBe('completed')
})

test('a task handle that cannot be stored is not returned', async () => {
  const { state, store } = failingStore()
  state.isFull = true
  const { create } = open(store)
  await expect(create()).rejects.toThrow('disk full')
})

describe('the first outcome wins', () => {
  test('a cancellation, although the work fails afterwards', async () => {
    const { taskHandles, abort, create, statusOf } = open()
    const { taskHandle, id } = await create()
    abort.mockImplementation(() => void taskHandle.finish({ error: { code: 1, message: 'aborted' } }))
    await taskHandles.cancel('ann', id)
    expect(await statusOf(id)).toBe('cancelled')
    expect(abort).toHaveBeenCalledWith('cancelled by the client')
  })

  test('an outcome, although the task is cancelled while it is stored; it is not visible before', async () => {
    const { state, store } = failingStore()
    const { taskHandles, create, statusOf } = open(store)
    const { taskHandle, id } = await create()
    let written: () => void = () => {}
    state.saving = new Promise((resolve) => (written = resolve))
    const finishing = taskHandle.finish({ result: '{"x":1}' })
    await taskHandles.cancel('ann', id)
    expect(await statusOf(id)).toBe('working')
    written()
    await finishing
    expect(await statusOf(id)).toBe('completed')
  })

  test('a cancellation that cannot be stored still aborts the work', async () => {
    const { state, store } = failingStore()
    const { taskHandles, abort, create, statusOf } = open(store)
    const { id } = await create()
    state.isFull = true
    await expect(taskHandles.cancel('ann', id)).rejects.toThrow('disk full')
    expect(abort).toHaveBeenCalledOnce()
    expect(await statusOf(id)).toBe('failed')
  })

  test('and nothing is published after it', async () => {
    const { changeEvents: events, create } = open()
    const { taskHandle } = await create()
    await taskHandle.finish({ result: '{}' })
    const before = events.length
    taskHandle.setStatusMessage('too late')
    const asked: Record<string, TaskHandleQuestion> = {
      q: { request: { method: 'roots/list', params: {} }, isUsable: () => true },
    }
    await expect(taskHandle.ask(asked, 10, new AbortController().signal)).rejects.toThrow('No answer within')
    expect(events).toHaveLength(before)
    expect(JSON.parse(`{${taskHandle.members}}`).status).toBe('completed')
  })
})

test('an unanswered question fails after the timeout, one of aborted work at once', async () => {
  const { create } = open()
  const { taskHandle } = await create()
  const asked: Record<string, TaskHandleQuestion> = {
    q: { request: { method: 'roots/list', params: {} }, isUsable: () => true },
  }
  await expect(taskHandle.ask(asked, 20, new AbortController().signal)).rejects.toThrow('No answer within 1 s.')
  const gone = AbortSignal.abort(new Error('stopped for a reason'))
  await expect(taskHandle.ask(asked, 1000, gone)).rejects.toThrow('stopped for a reason')
  expect(JSON.parse(`{${taskHandle.members}}`).status).toBe('working')
})

test('an answer that matches no question is ignored', async () => {
  const { taskHandles, changeEvents: events, create } = open()
  const { taskHandle, id } = await create()
  const asked: Record<string, TaskHandleQuestion> = {
    q: { request: { method: 'roots/list', params: {} }, isUsable: (answer: unknown) => answer === 'yes' },
  }
  const asking = taskHandle.ask(asked, 1000, new AbortController().signal)
  const before = events.length
  for (const responses of [{}, { other: 'yes' }, { q: 'no' }]) await taskHandles.answer('ann', id, responses)
  expect(events).toHaveLength(before)
  await taskHandles.answer('ann', id, { q: 'yes' })
  expect(await asking).toEqual({ q: 'yes' })
})

test('close aborts all running tasks and rejects new ones', async () => {
  const { taskHandles, abort, create, statusOf } = open()
  const { id } = await create()
  await taskHandles.close()
  expect(abort).toHaveBeenCalledWith('The server was stopped.')
  expect(await statusOf(id)).toBe('failed')
  await expect(create()).rejects.toThrow('The server is stopping.')
})

test('the limit of a thousand running tasks applies per user', async () => {
  const { create } = open()
  const made = await Promise.all(Array.from({ length: 1000 }, () => create('ann')))
  await expect(create('ann')).rejects.toThrow('1000 unfinished')
  await create('bob')
  await made[0]?.taskHandle.finish({ result: '{}' })
  await create('ann')
})

test('an outcome is kept for 30 days at most', async () => {
  const { taskHandles } = open()
  const { members } = await taskHandles.create({ user: 'ann', abort: () => {} }, { ttlMs: 1e15 })
  expect(JSON.parse(`{${members}}`).ttlMs).toBe(30 * 24 * 60 * 60 * 1000)
})

describe('memory', () => {
  const record = (id: string, more: Partial<TaskHandleRecord> = {}): TaskHandleRecord => ({
    id,
    user: 'ann',
    pid: 1,
    createdAt: Date.now(),
    updatedAt: Date.now(),
    ttlMs: 60_000,
    pollMs: 1000,
    status: 'completed',
    ...more,
  })

  test('keeps the newest of each user without evicting those of others', async () => {
    const store = createInMemoryTaskHandleStore(2)
    await store.save(record('b', { user: 'bob' }))
    await store.save(record('working', { status: 'working' }))
    for (const id of ['1', '2', '3', '4']) await store.save(record(id))
    const kept = await Promise.all(['working', '1', '2', '3', '4'].map((id) => store.load('ann', id)))
    expect(kept.map((found) => found?.id)).toEqual(['working', undefined, undefined, '3', '4'])
    expect(await store.load('bob', 'b')).toBeDefined()
  })

  test('drops expired tasks', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = createInMemoryTaskHandleStore()
    await store.save(record('x', { ttlMs: 10 }))
    vi.setSystemTime(Date.now() + 10)
    expect(await store.load('ann', 'x')).toBeDefined()
    vi.setSystemTime(Date.now() + 1)
    expect(await store.load('ann', 'x')).toBeUndefined()
  })
})
