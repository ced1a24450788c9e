import { existsSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { withFileLock } from './file-lock.js'

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'scorpiox-lock-')), 'a.lock')
const longAgo = new Date(Date.now() - 60_000)

test('holds the lock during the work and releases it, also if the work throws', () => {
  const path = newPath()
  expect(withFileLock(path, (stillOurs) => [existsSync(path), stillOurs()])).toEqual([true, true])
  expect(existsSync(path)).toBe(false)
  const fails = (): never => {
    throw new Error('no')
  }
  expect(() => withFileLock(path, fails)).toThrow('no')
  expect(existsSync(path)).toBe(false)
})

test('removes a stale lock and leaves no other files', () => {
  const path = newPath()
  writeFileSync(path, 'dead')
  utimesSync(path, longAgo, longAgo)
  expect(withFileLock(path, () => 'mine')).toBe('mine')
  expect(readdirSync(dirname(path))).toEqual([])
})

test('a holder whose lock was removed is informed, and does not release the new lock', () => {
  const path = newPath()
  const still = withFileLock(path, (stillOurs) => {
    utimesSync(path, longAgo, longAgo)
    expect(withFileLock(path, () => stillOurs())).toBe(false)
    writeFileSync(path, 'of a third')
    return stillOurs()
  })
  expect(still).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('of a third')
})

test('waits for a held lock, then throws a Failure that says what to do', () => {
  const path = newPath()
  // From the future, as after the clock was set back: it never becomes stale.
  const future = new Date(Date.now() + 3_600_000)
  writeFileSync(path, 'alive')
  utimesSync(path, future, future)
  expect(() => withFileLock(path, () => 'mine', 100)).toThrow(
    'is locked by another process; if no process is using it, delete',
  )
  expect(readFileSync(path, 'utf8')).toBe('alive')
})
