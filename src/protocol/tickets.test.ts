import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test, vi } from 'vitest'

import { createNotices, type Notice } from '../services/notices.js'
import { createTicketMemory, type TicketRecord, type TicketStore } from '../store/ticket-store.js'
import { createTickets } from './tickets.js'

function open(store: TicketStore = createTicketMemory()) {
  const notices = createNotices()
  const events: Notice[] = []
  notices.listen((event) => events.push(event))
  const tickets = createTickets(store, notices)
  const abort = vi.fn<(reason: string) => void>()
  const create = async (user = 'ann') => {
    const ticket = await tickets.create({ user, abort })
    const { taskId } = JSON.parse(`{${ticket.members}}`)
    return { ticket, id: String(taskId) }
  }
  const statusOf = async (id: string, user = 'ann'): Promise<string> =>
    JSON.parse(`{${await tickets.describe(user, id)}}`).status
  return { tickets, told: events, abort, create, statusOf }
}

/** A store that can be slow or fail. */
function brittle() {
  const memory = createTicketMemory()
  const state = { saving: Promise.resolve(), isFull: false }
  const store: TicketStore = {
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
  const { tickets, abort, create, statusOf } = open()
  const { ticket, id } = await create('ann')
  const notFound = expect.objectContaining({ code: -32602 })
  for (const user of ['bob', '', 'ann\n', 'Ann']) {
    await expect(tickets.describe(user, id)).rejects.toEqual(notFound)
    await expect(tickets.answer(user, id, {})).rejects.toEqual(notFound)
    await expect(tickets.cancel(user, id)).rejects.toEqual(notFound)
  }
  expect(abort).not.toHaveBeenCalled()
  await ticket.finish({ result: '{}' })
  await expect(tickets.describe('bob', id)).rejects.toEqual(notFound)
  expect(await statusOf(id)).toBe('completed')
})

test('a task handle that cannot be stored is not returned', async () => {
  const { state, store } = brittle()
  state.isFull = true
  const { create } = open(store)
  await expect(create()).rejects.toThrow('disk full')
})

describe('the first outcome wins', () => {
  test('a cancellation, although the work fails afterwards', async () => {
    const { tickets, abort, create, statusOf } = open()
    const { ticket, id } = await create()
    abort.mockImplementation(() => void ticket.finish({ error: { code: 1, message: 'aborted' } }))
    await tickets.cancel('ann', id)
    expect(await statusOf(id)).toBe('cancelled')
    expect(abort).toHaveBeenCalledWith('cancelled by the client')
  })

  test('an outcome, although the task is cancelled while it is stored; it is not visible before', async () => {
    const { state, store } = brittle()
    const { tickets, create, statusOf } = open(store)
    const { ticket, id } = await create()
    let written: () => void = () => {}
    state.saving = new Promise((resolve) => (written = resolve))
    const finishing = ticket.finish({ result: '{"x":1}' })
    await tickets.cancel('ann', id)
    expect(await statusOf(id)).toBe('working')
    written()
    await finishing
    expect(await statusOf(id)).toBe('completed')
  })

  test('a cancellation that cannot be stored still aborts the work', async () => {
    const { state, store } = brittle()
    const { tickets, abort, create, statusOf } = open(store)
    const { id } = await create()
    state.isFull = true
    await expect(tickets.cancel('ann', id)).rejects.toThrow('disk full')
    expect(abort).toHaveBeenCalledOnce()
    expect(await statusOf(id)).toBe('failed')
  })

  test('and nothing is published after it', async () => {
    const { told: events, create } = open()
    const { ticket } = await create()
    await ticket.finish({ result: '{}' })
    const before = events.length
    ticket.say('too late')
    const asked = { q: { question: { method: 'roots/list', params: {} }, fits: () => true } }
    await expect(ticket.ask(asked, 10, new AbortController().signal)).rejects.toThrow('No answer within')
    expect(events).toHaveLength(before)
    expect(JSON.parse(`{${ticket.members}}`).status).toBe('completed')
  })
})

test('an unanswered question fails after the timeout, one of aborted work at once', async () => {
  const { create } = open()
  const { ticket } = await create()
  const asked = { q: { question: { method: 'roots/list', params: {} }, fits: () => true } }
  await expect(ticket.ask(asked, 20, new AbortController().signal)).rejects.toThrow('No answer within 1 s.')
  const gone = AbortSignal.abort(new Error('stopped for a reason'))
  await expect(ticket.ask(asked, 1000, gone)).rejects.toThrow('stopped for a reason')
  expect(JSON.parse(`{${ticket.members}}`).status).toBe('working')
})

test('an answer that matches no question is ignored', async () => {
  const { tickets, told: events, create } = open()
  const { ticket, id } = await create()
  const asked = { q: { question: { method: 'roots/list', params: {} }, fits: (answer: unknown) => answer === 'yes' } }
  const asking = ticket.ask(asked, 1000, new AbortController().signal)
  const before = events.length
  for (const responses of [{}, { other: 'yes' }, { q: 'no' }]) await tickets.answer('ann', id, responses)
  expect(events).toHaveLength(before)
  await tickets.answer('ann', id, { q: 'yes' })
  expect(await asking).toEqual({ q: 'yes' })
})

test('close aborts all running tasks and rejects new ones', async () => {
  const { tickets, abort, create, statusOf } = open()
  const { id } = await create()
  await tickets.close()
  expect(abort).toHaveBeenCalledWith('The server was stopped.')
  expect(await statusOf(id)).toBe('failed')
  await expect(create()).rejects.toThrow('The server is stopping.')
})

test('the limit of a thousand running tasks applies per user', async () => {
  const { create } = open()
  const made = await Promise.all(Array.from({ length: 1000 }, () => create('ann')))
  await expect(create('ann')).rejects.toThrow('1000 unfinished')
  await create('bob')
  await made[0]?.ticket.finish({ result: '{}' })
  await create('ann')
})

describe('memory', () => {
  const record = (id: string, more: Partial<TicketRecord> = {}): TicketRecord => ({
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
    const store = createTicketMemory(3)
    await store.save(record('b', { user: 'bob' }))
    await store.save(record('working', { status: 'working' }))
    for (const id of ['1', '2', '3', '4']) await store.save(record(id))
    const kept = await Promise.all(['working', '1', '2', '3', '4'].map((id) => store.load('ann', id)))
    expect(kept.map((found) => found?.id)).toEqual(['working', undefined, undefined, '3', '4'])
    expect(await store.load('bob', 'b')).toBeDefined()
  })

  test('drops expired tasks', async () => {
    const store = createTicketMemory()
    await store.save(record('x', { ttlMs: 10 }))
    expect(await store.load('ann', 'x')).toBeDefined()
    await sleep(15)
    expect(await store.load('ann', 'x')).toBeUndefined()
  })
})
