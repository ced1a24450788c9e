import { expect, test } from 'vitest'

import { promised } from '../../lib/promised.js'
import { createScopeWatch } from './scope-watch.js'
import type { Database } from './sql.js'

const SCOPE = { project: '/srv/project', user: 'ann' }

/** A database whose reads can be delayed. */
function slowDatabase() {
  const looks: (() => void)[] = []
  let revision = 1
  const database: Database = {
    name: 'a slow database',
    read: (work) => work({ all: async (_, key) => [{ key, revision }], run: async () => [] }),
    write: () => Promise.reject(new Error('nobody writes here')),
    async stirred() {
      const seen = revision
      const { promise, resolve } = promised<void>()
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
  const watch = createScopeWatch(database)
  let heard = 0
  watch.seen(SCOPE, 1)
  const leave = watch.listen(() => heard++)
  const first = watch.look()
  // The read has completed, but has not returned, when something changes.
  raise()
  const second = watch.look()
  looks.shift()?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect([heard, looks.length]).toEqual([0, 1])
  looks.shift()?.()
  await Promise.all([first, second])
  expect(heard).toBe(1)
  leave()
})

test('polls again after a failed poll', async () => {
  const { database, looks } = slowDatabase()
  let isBroken = true
  const watch = createScopeWatch({
    ...database,
    stirred: () => (isBroken ? Promise.reject(new Error('away')) : database.stirred()),
  })
  watch.seen(SCOPE, 1)
  await watch.look()
  isBroken = false
  const look = watch.look()
  expect(looks).toHaveLength(1)
  looks.shift()?.()
  await look
})
