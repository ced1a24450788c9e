// A pending message is delivered once, over one channel, and again if the delivery failed.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { PendingMessage } from './message-table.js'
import { createPendingMessageQueue, type PendingMessageQueue } from './pending-message-queue.js'

const CALLER = { user: 'ann', session: 'one' }

function row(id: number, text = `message ${id}`, session = CALLER.session): PendingMessage {
  return { id, session, kind: 'callback', text, createdAt: id, file: null }
}

function createQueue(messages: readonly PendingMessage[], isRead: (id: number) => boolean = () => false) {
  const delivered: number[] = []
  const queue = createPendingMessageQueue({
    canReceive: ({ session }, to) => session === to,
    claim: (_, { id }) => !isRead(id),
    onDelivered: (_, rows) => delivered.push(...rows.map(({ id }) => id)),
    onReturned: () => {},
  })
  queue.setPending(CALLER.user, messages)
  return { queue, delivered }
}

/** Takes and delivers batches until nothing is pending. */
function deliverAll(queue: PendingMessageQueue): readonly string[] {
  const texts: string[] = []
  for (let batch = queue.takeBatch(CALLER); batch; batch = queue.takeBatch(CALLER)) {
    texts.push(batch.text)
    batch.confirm()
  }
  return texts
}

test('failed deliveries are repeated and successful ones are not, despite reloads', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('written', 'lost', 'read anew')),
      fc.integer({ min: 1, max: 5 }),
      (outcomes, count) => {
        const rows = Array.from({ length: count }, (_, index) => row(index + 1))
        const { queue, delivered } = createQueue(rows)
        for (const event of outcomes) {
          if (event === 'read anew') expect(queue.setPending(CALLER.user, rows)).toEqual([])
          else if (event === 'lost') queue.takeBatch(CALLER)?.release()
          else queue.takeBatch(CALLER)?.confirm()
        }
        deliverAll(queue)
        expect(delivered).toEqual(rows.map(({ id }) => id))
        expect(queue.isDelivering).toBe(false)
      },
    ),
  )
})

test('a message in flight uses no other channel and returns if the delivery failed', () => {
  const { queue } = createQueue([row(1), row(2)])
  expect(queue.markInFlight(CALLER.user, 1)).toBe(true)
  expect(queue.markInFlight(CALLER.user, 1)).toBe(false)
  const batch = queue.takeBatch(CALLER)
  expect([batch?.text, queue.takeBatch(CALLER), queue.isDelivering]).toEqual(['message 2', undefined, true])
  batch?.release()
  queue.settleDelivery(CALLER.user, 1, false)
  expect([queue.isDelivering, queue.isPending(CALLER.user, 1)]).toEqual([false, true])
  expect(queue.takeBatch(CALLER)?.text).toBe('message 1\n\nmessage 2')
})

test('belongs to one session of one user and is not delivered if it was read elsewhere', () => {
  const { queue, delivered } = createQueue([row(1), row(2, 'of another', 'two'), row(3)], (id) => id === 1)
  expect(queue.takeBatch({ user: 'bob', session: CALLER.session })).toBeUndefined()
  expect(deliverAll(queue)).toEqual(['message 3'])
  expect(delivered).toEqual([3])
})

test('batches messages up to the limit; a longer one is sent alone', () => {
  const { queue } = createQueue([row(1), row(2, 'x'.repeat(9000)), row(3), row(4)])
  expect(deliverAll(queue).map(({ length }) => length)).toEqual([9, 9000, 20])
})
