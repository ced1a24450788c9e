import { mkdirSync, mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openTaskHandleFolder } from './task-handle-files.js'
import type { TaskHandleRecord } from './task-handle-store.js'

const DEAD = 2 ** 22 + 1

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), 'tickets-')), 'deep', 'tickets')

function record(id: string, more: Partial<TaskHandleRecord> = {}): TaskHandleRecord {
  const now = Date.now()
  const times = { createdAt: now, updatedAt: now, ttlMs: 60_000, pollMs: 1000 }
  return { id, user: 'ann', pid: process.pid, ...times, status: 'completed', result: '{"x":1}', ...more }
}

const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String)

test('a saved record is found by the next process, and only by its user', async () => {
  const folder = newFolder()
  const first = await openTaskHandleFolder(folder)
  await first.save(record('a', { status: 'working' }))
  await first.save(record('a'))
  const second = await openTaskHandleFolder(folder)
  expect(await second.load('ann', 'a')).toEqual(
    record('a', { createdAt: expect.any(Number), updatedAt: expect.any(Number) }),
  )
  for (const user of ['bob', 'Ann', '', '../ann']) expect(await second.load(user, 'a')).toBeUndefined()
  const [home = ''] = readdirSync(folder)
  if (process.platform !== 'win32') {
    expect(statSync(join(folder, home)).mode & 0o77).toBe(0)
    expect(statSync(join(folder, home, 'a.json')).mode & 0o77).toBe(0)
  }
})

test.each(['', '.', '..', '../x', 'a/b', 'a\0', 'x'.repeat(65), 'ä'])('%j is not an id', async (id) => {
  const store = await openTaskHandleFolder(newFolder())
  expect(await store.load('ann', id)).toBeUndefined()
})

test.each(['', '{', 'null', '[]', '{"id":"a"}', '{"id":"a","user":"ann","pid":"1"}'])(
  'a file with the content %j is not a task',
  async (text) => {
    const folder = newFolder()
    const store = await openTaskHandleFolder(folder)
    await store.save(record('a'))
    const path = join(
      folder,
      filesIn(folder).find((name) => name.endsWith('a.json'))!,
    )
    writeFileSync(path, text)
    expect(await store.load('ann', 'a')).toBeUndefined()
  },
)

test('removes expired records and temporary files at start', async () => {
  const folder = newFolder()
  const store = await openTaskHandleFolder(folder)
  const past = { createdAt: Date.now() - 10 * 60_000 }
  const longPast = { createdAt: Date.now() - 40 * 24 * 60 * 60_000 }
  await store.save(record('kept'))
  await store.save(record('over', past))
  await store.save(record('orphan', { status: 'working', pid: DEAD, ...longPast }))
  await store.save(record('young-orphan', { status: 'working', pid: DEAD, ...past }))
  const [home = ''] = readdirSync(folder)
  writeFileSync(join(folder, home, 'x.json.old.tmp'), '{')
  utimesSync(join(folder, home, 'x.json.old.tmp'), new Date(0), new Date(0))
  writeFileSync(join(folder, home, 'x.json.new.tmp'), '{')
  writeFileSync(join(folder, 'stray'), 'not a folder')
  await openTaskHandleFolder(folder)
  expect(readdirSync(join(folder, home)).toSorted()).toEqual(['kept.json', 'x.json.new.tmp', 'young-orphan.json'])
})

test('a record that cannot be written leaves no file', async () => {
  const folder = newFolder()
  const store = await openTaskHandleFolder(folder)
  await store.save(record('a'))
  const [home = ''] = readdirSync(folder)
  mkdirSync(join(folder, home, 'b.json'))
  await expect(store.save(record('b'))).rejects.toThrow()
  expect(readdirSync(join(folder, home)).toSorted()).toEqual(['a.json', 'b.json'])
})

test('keeps a bounded number of finished records for each user, the newest', async () => {
  const folder = newFolder()
  const store = await openTaskHandleFolder(folder)
  await store.save(record('other', { user: 'bob' }))
  await store.save(record('running', { status: 'working' }))
  for (let count = 1; count <= 1060; count++) await store.save(record(`id-${count}`))
  expect(filesIn(folder).filter((name) => name.endsWith('.json')).length).toBeLessThanOrEqual(1022)
  const found = await Promise.all(['id-1', 'id-1060', 'running'].map((id) => store.load('ann', id)))
  expect(found.map((each) => each?.id)).toEqual([undefined, 'id-1060', 'running'])
  expect(await store.load('bob', 'other')).toBeDefined()
})

test('keeps at most 64 MB of results for each user', async () => {
  const folder = newFolder()
  const store = await openTaskHandleFolder(folder)
  const result = JSON.stringify('x'.repeat(5_000_000))
  for (let count = 1; count <= 20; count++) await store.save(record(`id-${count}`, { result }))
  const bytes = filesIn(folder).map((name) => statSync(join(folder, name)).size)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(72_000_000)
  expect(await store.load('ann', 'id-1')).toBeUndefined()
  expect(await store.load('ann', 'id-20')).toBeDefined()
})
