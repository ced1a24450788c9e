// The contract on SQLite, and what is specific to a file: it disappears, is damaged, or was written by a newer program.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { openStateDatabase, type StateDatabase } from '@scorpiox/server/state'
import { loadSqlite } from '@scorpiox/server/storage/sqlite-loader'
import { emptyFolder } from '../support/client.js'
import { underLoad } from '../support/load.js'
import { describeContract } from './contract.js'
import { startWriter } from './writers.js'

const SCOPE = { project: '/srv/project', user: 'ann' }

describeContract('SQLite', async () => ({ file: join(emptyFolder(), 'state.db'), databaseUrl: '' }))

describe('a SQLite file', () => {
  let file: string
  let state: StateDatabase
  let opened: StateDatabase[]

  const open = async (at = file): Promise<StateDatabase> => {
    const another = await openStateDatabase({ file: at, databaseUrl: '' })
    opened.push(another)
    return another
  }
  const write = (name: string, to = state) => to.write(SCOPE, (rows) => rows.tasks.insert(name, 1))
  const names = async (from = state) => {
    const tasks = await from.read(SCOPE, (rows) => rows.tasks.list({ terms: [] }, 100))
    return tasks.map(({ name }) => name).toReversed()
  }
  /** As an administrator would: the file and the files that SQLite keeps beside it. */
  const remove = (): void => ['', '-wal', '-shm'].forEach((end) => rmSync(`${file}${end}`, { force: true }))

  /** Created and closed by a separate process. */
  const fileWith = async (name: string): Promise<string> => {
    const made = join(emptyFolder(), 'state.db')
    await startWriter({ location: { file: made, databaseUrl: '' }, name, how: 'closing' }).ended
    return made
  }

  beforeEach(async () => {
    opened = []
    file = join(emptyFolder(), 'state', 'state.db')
    state = await open()
  })
  afterEach(async () => void (await Promise.all(opened.map((each) => each.close()))))

  test('is created by the first write, not by reading, for its owner only', async () => {
    expect(await names()).toEqual([])
    expect(existsSync(dirname(file))).toBe(false)
    await write('one')
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    for (const end of ['', '-wal', '-shm']) expect(statSync(`${file}${end}`).mode & 0o777).toBe(0o600)
  })

  test('that is deleted under a running process is created again, and both processes use it', async () => {
    const other = await open()
    await write('one')
    expect(await names(other)).toEqual(['one'])
    remove()
    expect(await names()).toEqual([])
    await write('two')
    expect(await names(other)).toEqual(['two'])
    await write('three', other)
    expect(await names()).toEqual(['two', 'three'])
  })

  test('that is replaced by another is read again', async () => {
    const elsewhere = await fileWith('from-a-backup')
    await write('one')
    remove()
    copyFileSync(elsewhere, file)
    chmodSync(file, 0o600)
    await write('two')
    expect(await names()).toEqual(['from-a-backup', 'two'])
  })

  test.each([true, false])(
    'that is replaced while its log exists is the new one for all processes, unchanged (atomically: %s)',
    async (once) => {
      const elsewhere = await fileWith('from-a-backup')
      const other = await open()
      for (let made = 0; made < 30; made++) await write(`old ${made}`, made % 2 ? state : other)
      if (!once) {
        renameSync(file, `${file}.bak`)
        expect(await names()).toEqual([])
      }
      renameSync(elsewhere, file)
      expect(await names()).toEqual(['from-a-backup'])
      await write('two', other)
      await write('three')
      for (const from of [state, other, await open()]) {
        expect(await names(from)).toEqual(['from-a-backup', 'two', 'three'])
      }
      const { DatabaseSync } = await loadSqlite()
      const database = new DatabaseSync(file)
      expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      database.close()
    },
  )

  test('of another program is refused and not changed', async () => {
    await write('one')
    remove()
    const { DatabaseSync } = await loadSqlite()
    const database = new DatabaseSync(file)
    database.exec('CREATE TABLE tasks (title TEXT)')
    database.close()
    chmodSync(file, 0o600)
    const before = readFileSync(file)
    await expect(write('two')).rejects.toThrow(/state\.db is a database of another program; move it away/)
    await expect(names()).rejects.toThrow(/another program/)
    expect(readFileSync(file).subarray(100)).toEqual(before.subarray(100))
  })

  const damages: [string, (good: Buffer) => Buffer][] = [
    ['garbage', () => Buffer.from('no database at all\n'.repeat(500))],
    ['a truncated file', (good) => good.subarray(0, 5000)],
    ['a header of zeros', (good) => Buffer.concat([Buffer.alloc(100), good.subarray(100)])],
    ['tables of zeros', (good) => Buffer.concat([good.subarray(0, 4096), Buffer.alloc(good.length - 4096)])],
  ]
  test.each(damages)('replaced by %s is kept aside, and a new one is used', async (_, damage) => {
    const good = readFileSync(await fileWith('one'))
    mkdirSync(dirname(file), { mode: 0o700 })
    writeFileSync(file, damage(good), { mode: 0o600 })
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(write('two')).rejects.toThrow(/state\.db is damaged .* move it away/)
      await expect(names()).rejects.toThrow(/state\.db is damaged/)
    }
    expect(readFileSync(file).equals(damage(good))).toBe(true)
    remove()
    writeFileSync(file, good, { mode: 0o600 })
    expect(await names()).toEqual(['one'])
    await write('two')
    expect(await names()).toEqual(['one', 'two'])
  })

  test('that is damaged while it is open is a failure, never a wrong answer', async () => {
    mkdirSync(dirname(file), { mode: 0o700 })
    copyFileSync(await fileWith('one'), file)
    expect(await names()).toEqual(['one'])
    truncateSync(file, 4096)
    await expect(write('two')).rejects.toThrow(/state\.db is damaged|failed/)
    remove()
    await write('three')
    expect(await names()).toEqual(['three'])
  })

  test('of a newer program is refused and not changed', async () => {
    await write('one')
    const { DatabaseSync } = await loadSqlite()
    const newer = new DatabaseSync(file)
    newer.exec('PRAGMA user_version = 99')
    await expect(write('two')).rejects.toThrow(/state\.db was written by a newer scorpiox-code; update/)
    await expect(names()).rejects.toThrow('newer')
    await expect(names(await open())).rejects.toThrow('newer')
    newer.exec('PRAGMA user_version = 1')
    newer.close()
    expect(await names()).toEqual(['one'])
  })

  test('cannot be a folder, open to others, or below a file', async () => {
    mkdirSync(file, { recursive: true, mode: 0o700 })
    await expect(write('one')).rejects.toThrow(/state\.db is not a regular file; move it away/)
    rmSync(file, { recursive: true })
    writeFileSync(file, '')
    chmodSync(file, 0o666)
    await expect(write('one')).rejects.toThrow(/chmod 600/)
    chmodSync(dirname(file), 0o777)
    await expect(write('one')).rejects.toThrow(/chmod 700/)
    rmSync(dirname(file), { recursive: true })
    writeFileSync(dirname(file), '')
    await expect(write('one')).rejects.toThrow(/cannot be written to|is not a folder/)
    rmSync(dirname(file))
    await write('one')
    expect(await names()).toEqual(['one'])
  })

  test(
    'that another process locks for long is a failure, and the event loop continues meanwhile',
    { tags: ['long'] },
    async () => {
      const other = await open()
      await write('one')
      const free = (): void => {}
      let release = free
      const held = other.write(SCOPE, () => new Promise<void>((resolve) => (release = resolve)))
      await expect.poll(() => release).not.toBe(free)
      let longest = 0
      let last = performance.now()
      const clock = setInterval(() => {
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
      }, 5)
      let refused = false
      const refusal = expect(write('two')).rejects.toThrow(
        /in use by other processes for 10 seconds; nothing was changed/,
      )
      const over = refusal.finally(() => (refused = true))
      expect(await names()).toEqual(['one'])
      expect(refused).toBe(false)
      await over
      clearInterval(clock)
      expect(longest).toBeLessThan(underLoad(2000))
      expect(await names()).toEqual(['one'])
      release()
      await held
      await write('three')
      expect(await names()).toEqual(['one', 'three'])
    },
  )
})
