// Processes are killed while they write: every acknowledged write is found afterwards. ROUNDS=300 ACKS=100000 makes the
// long test longer.

import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openStateDatabase } from '@scorpiox/server/state'
import { loadSqlite } from '@scorpiox/server/storage/sqlite-loader'
import { emptyFolder } from '../support/client.js'
import { underLoad } from '../support/load.js'
import { acknowledgedTo, startWriter } from './writers.js'

const LONG_ROUNDS = Number(process.env.ROUNDS ?? 40)
const LONG_ACKS = Number(process.env.ACKS ?? LONG_ROUNDS * 334)
const WRITERS = 2

test('nothing acknowledged is lost in 4 rounds of kill -9', () => killWriters(4, 400))

test(`nothing acknowledged is lost in ${LONG_ROUNDS} rounds of kill -9`, { tags: ['long'] }, () =>
  killWriters(LONG_ROUNDS, LONG_ACKS),
)

async function killWriters(rounds: number, acks: number): Promise<void> {
  const location = { file: join(emptyFolder(), 'state.db'), databaseUrl: '' }
  const acknowledged = new Map<number, string>()
  let slowest = 0
  for (let round = 0; round < rounds; round++) {
    const wanted = WRITERS + Math.ceil((acks - acknowledged.size) / (rounds - round))
    const writers = Array.from({ length: WRITERS }, (_, index) =>
      startWriter({ location, name: `${round}-${index}`, how: 'forever' }),
    )
    const written = (): number => writers.reduce((sum, { lines }) => sum + lines.length, 0)
    while (written() < wanted) await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
    for (const { child } of writers) child.kill('SIGKILL')
    for (const { stderr } of await Promise.all(writers.map(({ ended }) => ended))) expect(stderr).toBe('')
    for (const writer of writers) {
      for (const [id, name] of acknowledgedTo(writer)) {
        expect(acknowledged.has(id)).toBe(false)
        acknowledged.set(id, name)
      }
      const ready = writer.lines.find((line) => line.startsWith('ready '))
      slowest = Math.max(slowest, Number(ready?.slice(6) ?? 0))
    }
  }
  const state = await openStateDatabase(location)
  const tasks = await state.read({ project: '/srv/project', user: 'ann' }, (rows) =>
    rows.tasks.list({ terms: [] }, 1_000_000),
  )
  await state.close()
  const names = new Map(tasks.map(({ id, name }) => [id, name]))
  const lost = [...acknowledged].filter(([id, name]) => names.get(id) !== name)
  expect(lost).toEqual([])
  expect(acknowledged.size).toBeGreaterThanOrEqual(acks)
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(location.file)
  expect(database.prepare('PRAGMA integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }])
  database.close()
  console.log(`${acknowledged.size} acknowledged, ${tasks.length} there, ready again in at most ${slowest} ms`)
  expect(slowest).toBeLessThan(underLoad(10_000))
}
