import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { advanceMonotonicClock } from '../../../../test/support/clock.js'
import { runToEnd } from '@scorpiox/server/async/sliced-work'
import { MISSING, needs } from '../../../../test/support/runtime.js'
import { openTokenFile } from './token-file.js'
import type { AuthTokenRecord } from './token-record.js'
import { formatTokenRecords, readTokenContent, type TokenContent } from './token-records.js'

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'scorpiox-tokens-')), 'state', 'tokens.json')
const modeOf = (path: string): number => statSync(path).mode & 0o777

afterEach(() => vi.useRealTimers())

describe('a token', () => {
  test('has 256 random bits, is found, and is not on disk', () => {
    const path = newPath()
    const tokens = openTokenFile(path)
    const { token, record } = tokens.create({ name: 'laptop', user: 'ada' })
    expect(token).toMatch(/^sxc_[\w-]{43}$/)
    expect(tokens.find(token)).toEqual(record)
    expect(openTokenFile(path).find(token)).toEqual(record)
    expect(readFileSync(path, 'utf8')).not.toContain(token.slice(4))
    expect(record).toMatchObject({ name: 'laptop', user: 'ada', hash: expect.stringMatching(/^[\da-f]{64}$/) })
    expect(readdirSync(dirname(path))).toEqual(['tokens.json'])
  })

  test('is kept where only its owner can read', needs(MISSING.fileModes), () => {
    const path = newPath()
    openTokenFile(path).create({ name: 'a', user: 'b' })
    expect(modeOf(path)).toBe(0o600)
    expect(modeOf(dirname(path))).toBe(0o700)
  })

  test('that differs slightly is not found', () => {
    const tokens = openTokenFile(newPath())
    const { token, record } = tokens.create({ name: 'a', user: 'b' })
    const wrong = ['', token.slice(0, -1), `${token}a`, ` ${token}`, token.slice(4), token.toUpperCase(), record.hash]
    for (const text of wrong) expect(tokens.find(text)).toBeUndefined()
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => tokens.find(text) === undefined))
    fc.assert(fc.property(fc.stringMatching(/^sxc_[\w-]{43}$/), (text) => tokens.find(text) === undefined))
  })

  test('is not found after its expiry, but is still listed', () => {
    const tokens = openTokenFile(newPath())
    const end = Date.now() + 3_600_000
    const { token } = tokens.create({ name: 'a', user: 'b', expiresAt: new Date(end).toISOString() })
    expect(tokens.find(token)).toBeDefined()
    vi.useFakeTimers({ toFake: ['Date'], now: end - 1 })
    expect(tokens.find(token)).toBeDefined()
    vi.setSystemTime(end)
    expect(tokens.find(token)).toBeUndefined()
    expect(tokens.list()).toHaveLength(1)
  })

  test.each([
    [{ name: '', user: 'b' }, 'A token name has'],
    [{ name: 'a\u001b[2J', user: 'b' }, 'A token name has'],
    [{ name: ' a', user: 'b' }, 'A token name has'],
    [{ name: 'a'.repeat(65), user: 'b' }, 'A token name has'],
    [{ name: 'a', user: '' }, 'A user has'],
    [{ name: 'a', user: 'oauth:b' }, 'A user has'],
    [{ name: 'a', user: '../b' }, 'A user has'],
    [{ name: 'a', user: 'b', expiresAt: 'tomorrow' }, 'The expiry of a token must be a time'],
    [{ name: 'a', user: 'b', expiresAt: '2030-02-31' }, 'The expiry of a token must be a time'],
  ])('is not made of %j', (input, sentence) => {
    const path = newPath()
    expect(() => openTokenFile(path).create(input)).toThrow(sentence)
    expect(existsSync(path)).toBe(false)
  })
})

describe('revoking', () => {
  test('revokes the token of that id, or every token of that name', () => {
    const tokens = openTokenFile(newPath())
    const [first, second, third] = ['a', 'a', 'b'].map((name) => tokens.create({ name, user: 'u' }))
    expect(tokens.revoke('nobody')).toEqual([])
    expect(tokens.revoke(third!.record.id)).toEqual([third!.record])
    expect(tokens.revoke('a')).toEqual([first!.record, second!.record])
    expect(tokens.list()).toEqual([])
    for (const made of [first, second, third]) expect(tokens.find(made!.token)).toBeUndefined()
  })

  test('prefers the id if another token has it as its name', () => {
    const tokens = openTokenFile(newPath())
    const { record } = tokens.create({ name: 'a', user: 'u' })
    const other = tokens.create({ name: record.id, user: 'u' })
    expect(tokens.revoke(record.id)).toEqual([record])
    expect(tokens.find(other.token)).toBeDefined()
  })

  test('by another process takes effect within a second, as does a new token', () => {
    const path = newPath()
    const [server, tokenFile] = [openTokenFile(path), openTokenFile(path)]
    expect(server.find('sxc_nothing')).toBeUndefined()
    const { token, record } = tokenFile.create({ name: 'a', user: 'u' })
    advanceMonotonicClock(1000)
    expect(server.find(token)).toEqual(record)
    tokenFile.revoke('a')
    advanceMonotonicClock(1000)
    expect(server.find(token)).toBeUndefined()
  })

  test('takes effect even if the wall clock is set back', () => {
    const path = newPath()
    const [server, tokenFile] = [openTokenFile(path), openTokenFile(path)]
    const { token } = tokenFile.create({ name: 'a', user: 'u' })
    expect(server.find(token)).toBeDefined()
    tokenFile.revoke('a')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 })
    advanceMonotonicClock(1000)
    expect(server.find(token)).toBeUndefined()
  })

  test('by deleting the file revokes all tokens', () => {
    const path = newPath()
    const tokens = openTokenFile(path)
    const { token } = tokens.create({ name: 'a', user: 'u' })
    rmSync(path)
    advanceMonotonicClock(1000)
    expect(tokens.find(token)).toBeUndefined()
    expect(tokens.problem()).toBeUndefined()
    expect(tokens.list()).toEqual([])
  })
})

describe('a large file', () => {
  const digest = (number: number): string => number.toString(16).padStart(64, '0')
  const recordOf = (number: number): AuthTokenRecord => ({
    id: String(number),
    name: `token-${number}`,
    user: `user-${number % 7}`,
    hash: digest(number),
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  const rangeOf = (count: number): readonly AuthTokenRecord[] => Array.from({ length: count }, (_, n) => recordOf(n))
  const contentOf = (records: readonly AuthTokenRecord[], previous?: TokenContent): TokenContent | undefined =>
    runToEnd(readTokenContent(Buffer.from(formatTokenRecords(records)), previous))

  function createLargeFile() {
    const path = newPath()
    mkdirSync(dirname(path), { mode: 0o700 })
    writeFileSync(path, formatTokenRecords(rangeOf(2000)), { mode: 0o600 })
    return { path, server: openTokenFile(path), other: openTokenFile(path) }
  }

  test('is read while the request waits; tokens made and revoked by another process are seen', async () => {
    const { server, other } = createLargeFile()
    const { token, record } = other.create({ name: 'new', user: 'u' })
    expect(server.find(token)).toBeInstanceOf(Promise)
    expect(await server.find(token)).toEqual(record)
    expect(server.find(token)).toEqual(record)
    other.revoke('token-1000')
    const later = other.create({ name: 'later', user: 'u' })
    other.revoke('new')
    advanceMonotonicClock(1000)
    expect(await server.find(token)).toBeUndefined()
    expect(await server.find(later.token)).toEqual(later.record)
    expect(server.problem()).toBeUndefined()
  })

  test('changed by this process: the change is effective for the next request', async () => {
    const { server } = createLargeFile()
    const { token, record } = server.create({ name: 'new', user: 'u' })
    expect(await server.find(token)).toEqual(record)
    server.revoke('new')
    expect(await server.find(token)).toBeUndefined()
  })

  test('that is damaged, or written by another program', async () => {
    const { path, server } = createLargeFile()
    const { token, record } = server.create({ name: 'new', user: 'u' })
    expect(await server.find(token)).toEqual(record)
    const good = readFileSync(path, 'utf8')
    writeFileSync(path, good.replace(digest(1000), 'damaged'))
    advanceMonotonicClock(1000)
    expect(await server.find(token)).toBeUndefined()
    expect(server.problem()).toContain('is damaged')
    writeFileSync(path, JSON.stringify(JSON.parse(good)))
    advanceMonotonicClock(1000)
    expect(await server.find(token)).toEqual(record)
    expect(server.problem()).toBeUndefined()
  })

  test('a token that is in it twice is valid until both are removed', () => {
    const twice = contentOf([recordOf(1), ...rangeOf(300)])
    const single = contentOf(rangeOf(300), twice)
    expect(single?.byHash.get(digest(1))).toEqual(recordOf(1))
    expect(contentOf(rangeOf(1), single)?.byHash.get(digest(1))).toBeUndefined()
  })

  test('any change of it is read as if all of it was read', () => {
    const number = fc.nat(400)
    const change = fc.tuple(number, number, fc.array(number, { maxLength: 3 }))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const records = [...rangeOf(300)]
        let content = contentOf(records)
        for (const [start, deleted, added] of changes) {
          records.splice(start, deleted % 5, ...added.map((one) => recordOf(one)))
          content = contentOf(records, content)
          expect(content?.byHash.size).toBe(new Set(records.map(({ hash }) => hash)).size)
          for (const record of records) expect(content?.byHash.get(record.hash)).toEqual(record)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('a file that cannot be trusted', () => {
  const record = { id: '1', name: 'n', user: 'u', hash: 'a'.repeat(64), createdAt: '2026-01-01T00:00:00.000Z' }
  const file = (...tokens: readonly unknown[]): string => JSON.stringify({ version: 1, tokens })

  test.each([
    ['nothing', ''],
    ['half of it', file(record).slice(0, 60)],
    ['another version', JSON.stringify({ version: 2, tokens: [record] })],
    ['no list', JSON.stringify({ version: 1, tokens: {} })],
    ['a list alone', JSON.stringify([record])],
    ['null', 'null'],
    ['a record without user', file({ ...record, user: undefined })],
    ['a record with an empty user', file(record, { ...record, user: '' })],
    ['an invalid hash', file({ ...record, hash: 'A'.repeat(64) })],
    ['an invalid expiry', file({ ...record, expiresAt: 'never' })],
    ['an end that is a number', file({ ...record, expiresAt: 1e15 })],
    ['zeros', '\0'.repeat(300)],
  ])('%s: access is denied, nothing is overwritten, and the error says what to do', (_, text) => {
    const path = newPath()
    mkdirSync(dirname(path))
    writeFileSync(path, text, { mode: 0o600 })
    const tokens = openTokenFile(path)
    expect(tokens.find(`sxc_${'a'.repeat(43)}`)).toBeUndefined()
    expect(tokens.problem()).toContain('is damaged; restore it from a backup')
    for (const act of [() => tokens.list(), () => tokens.create({ name: 'a', user: 'u' }), () => tokens.revoke('a')]) {
      expect(act).toThrow(Failure)
      expect(act).toThrow('is damaged')
    }
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(readdirSync(dirname(path))).toEqual(['tokens.json'])
  })

  test('is trusted again once it was repaired', () => {
    const path = newPath()
    const tokens = openTokenFile(path)
    const { token } = tokens.create({ name: 'a', user: 'u' })
    const good = readFileSync(path)
    writeFileSync(path, 'oops')
    advanceMonotonicClock(1000)
    expect(tokens.find(token)).toBeUndefined()
    expect(tokens.problem()).toContain('is damaged')
    writeFileSync(path, good)
    advanceMonotonicClock(1000)
    expect(tokens.find(token)).toBeDefined()
    expect(tokens.problem()).toBeUndefined()
  })

  test('because others can write to it', needs(MISSING.fileModes), () => {
    const path = newPath()
    const { token } = openTokenFile(path).create({ name: 'a', user: 'u' })
    chmodSync(path, 0o620)
    const tokens = openTokenFile(path)
    expect(tokens.find(token)).toBeUndefined()
    expect(tokens.problem()).toContain(`chmod 600 ${path}`)
    expect(() => tokens.list()).toThrow('can be changed by other users')
  })

  test('because it is a folder', () => {
    const path = newPath()
    mkdirSync(path, { recursive: true })
    const tokens = openTokenFile(path)
    expect(tokens.find('sxc_')).toBeUndefined()
    expect(() => tokens.list()).toThrow('is not a regular file')
  })

  test('because the folder is a file', () => {
    const path = join(newPath(), 'tokens.json')
    mkdirSync(dirname(dirname(path)), { recursive: true })
    writeFileSync(dirname(path), '')
    expect(() => openTokenFile(path).create({ name: 'a', user: 'u' })).toThrow(/cannot be changed \(.*\); no token/)
  })

  test('with any byte flipped it is valid or refused', () => {
    const path = newPath()
    const { token } = openTokenFile(path).create({ name: 'a', user: 'u' })
    const good = readFileSync(path)
    const flips = fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(flips, ([at, change]) => {
        const bytes = Buffer.from(good)
        bytes[at] = good[at]! ^ change
        writeFileSync(path, bytes)
        const tokens = openTokenFile(path)
        const found = tokens.find(token)
        if (tokens.problem() !== undefined) expect(found).toBeUndefined()
        else expect(tokens.list()).toHaveLength(1)
      }),
      { numRuns: 300 },
    )
  })
})

describe('several writers', () => {
  const script = join(mkdtempSync(join(tmpdir(), 'scorpiox-writer-')), 'writer.mjs')

  beforeAll(async () => {
    const { rolldown } = await import('rolldown')
    const build = await rolldown({
      input: resolve(import.meta.dirname, 'token-file.ts'),
      platform: 'node',
      resolve: { conditionNames: ['@scorpiox/source', 'import', 'default'] },
    })
    await build.write({ file: join(dirname(script), 'token-file.mjs'), format: 'esm' })
    writeFileSync(
      script,
      `import { openTokenFile } from './token-file.mjs'
       const [path, name, count] = process.argv.slice(2)
       const tokens = openTokenFile(path)
       for (let n = 0; n < Number(count); n++) console.log(tokens.create({ name, user: 'u' }).record.id)`,
    )
  })

  const start = (path: string, name: string, count: number) =>
    spawn(process.execPath, [script, path, name, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] })

  test('lose no tokens', async () => {
    const path = newPath()
    const writers = Array.from({ length: 6 }, (_, index) => start(path, `writer-${index}`, 20))
    const codes = await Promise.all(writers.map((writer) => once(writer, 'exit')))
    expect(codes).toEqual(writers.map(() => [0, null]))
    const records = openTokenFile(path).list()
    expect([...new Set(records.map(({ id }) => id))]).toHaveLength(120)
    expect(readdirSync(dirname(path))).toEqual(['tokens.json'])
  })

  test('some of which are killed: reported tokens are kept, and stale locks are removed', async () => {
    const path = newPath()
    const delivered = new Set<string>()
    for (let round = 0; round < 5; round++) {
      const writer = start(path, 'mortal', 10_000)
      writer.stdout.on('data', (chunk: Buffer) => {
        // The last line may be incomplete.
        for (const line of chunk.toString().match(/^[\da-f]{10}$/gm) ?? []) delivered.add(line)
      })
      await once(writer.stdout, 'data')
      await sleep(Math.random() * 100)
      writer.kill('SIGKILL')
      await once(writer, 'close')
      age(`${path}.lock`)
    }
    const { record } = openTokenFile(path).create({ name: 'next', user: 'u' })
    const ids = new Set(
      openTokenFile(path)
        .list()
        .map(({ id }) => id),
    )
    expect(delivered.size).toBeGreaterThanOrEqual(5)
    expect([...delivered, record.id].filter((id) => !ids.has(id))).toEqual([])
  })

  /** As if its holder had died long ago. */
  function age(lock: string): void {
    if (existsSync(lock)) utimesSync(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))
  }
})
