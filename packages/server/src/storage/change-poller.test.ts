import { expect, test } from 'vitest'

import { createDeferred } from '../async/timeouts.js'
import { createChangePoller } from './change-poller.js'
import type { Database } from './database.js'

const SCOPE = { project: '/srv/project', user: 'ann' }

/** A database whose reads can be delayed. */
function slowDatabase() {
  const looks: (() => void)[] = []
  let revision = 1
  const database: Database = {
    name: 'a slow database',
    read: (work) => work({ engine: 'sqlite', all: async (_, key) => [{ key, revision }], run: async () => [] }),
    write: () => Promise.reject(new Error('not expected to write')),
    async mayHaveChanged() {
      const seen = revision
      const { promise, resolve } = createDeferred<void>()
      looks.push(resolve)
      await promise
      return seen > 1
    },
    close: () => Promise.resolve(),
  }
  return { database, looks, raise: () => void revision++ }
}

test('a poll requested during a poll is not lost', async () => {
  const { database, looks, raise } = slowDatabase()
  const watch = createChangePoller(database)
  let changes = 0
  watch.noteRevision(SCOPE, 1)
  const leave = watch.onChange(() => changes++)
  const first = watch.pollNow()
  // The read has completed, but has not returned, when something changes.
  raise()
  const second = watch.pollNow()
  looks.shift()?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect([changes, looks.length]).toEqual([0, 1])
  looks.shift()?.()
  await Promise.all([first, second])
  expect(changes).toBe(1)
  leave()
})

test('polls again after a failed poll', async () => {
  const { database, looks } = slowDatabase()
  let isBroken = true
  const watch = createChangePoller({
    ...database,
    mayHaveChanged: () => (isBroken ? Promise.reject(new Error('away')) : database.mayHaveChanged()),
  })
  watch.noteRevision(SCOPE, 1)
  await watch.pollNow()
  isBroken = false
  const look = watch.pollNow()
  expect(looks).toHaveLength(1)
  looks.shift()?.()
  await look
})
