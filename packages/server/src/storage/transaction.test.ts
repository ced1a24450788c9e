import { expect, onTestFinished, test, vi } from 'vitest'

import type { Sql } from './database.js'
import { runTransaction } from './transaction.js'

const QUIET: Sql = { engine: 'sqlite', all: async () => [], run: async () => [] }
const never = new Promise<never>(() => {})

test('idle work is aborted and cannot continue', async () => {
  let kept: Sql = QUIET
  const stuck = runTransaction(
    QUIET,
    'write',
    (sql) => {
      kept = sql
      return never
    },
    30,
  )
  // The timer does not keep the process alive.
  const alive = setInterval(() => {}, 1000)
  await expect(stuck).rejects.toThrow('did nothing for 30 ms')
  clearInterval(alive)
  await expect(kept.run('x')).rejects.toThrow('has ended')
})

test('work that runs statements regularly is not aborted', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const long = runTransaction(
    QUIET,
    'read',
    async (sql) => {
      for (let count = 0; count < 20; count++) {
        await vi.advanceTimersByTimeAsync(299)
        await sql.all('x')
      }
      return { value: 'done', commit: false }
    },
    300,
  )
  await expect(long).resolves.toMatchObject({ value: 'done' })
})

test('the error of a statement takes precedence over that of the work', async () => {
  const broken: Sql = { ...QUIET, run: () => Promise.reject(new Error('full')) }
  const wrapping = runTransaction(broken, 'write', async (sql) => {
    await sql.run('x').catch(() => {
      throw new Error('wrapped')
    })
    return { value: 1, commit: true }
  })
  await expect(wrapping).rejects.toThrow('full')
})
