import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { type LockSystem, withFileLock } from './file-lock.js'

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

describe('on Windows', () => {
  const refused = (): never => {
    throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  }

  /** The real files, and what Windows refuses: the first calls of each kind, or all for a path. */
  function windows(refusals: {
    readonly reads?: number
    readonly removals?: number
    readonly writes?: RegExp
  }): LockSystem {
    let { reads = 0, removals = 0 } = refusals
    return {
      platform: 'win32',
      writeFile: (path, ...rest) => (refusals.writes?.test(String(path)) ? refused() : writeFileSync(path, ...rest)),
      readFile: (path, encoding) => (reads-- > 0 ? refused() : readFileSync(path, encoding)),
      removeFile: (path, options) => (removals-- > 0 ? refused() : rmSync(path, options)),
    }
  }

  test('a lock that cannot be read for a moment is still held', () => {
    const path = newPath()
    expect(withFileLock(path, (stillOurs) => stillOurs(), 100, windows({ reads: 3 }))).toBe(true)
    expect(existsSync(path)).toBe(false)
  })

  test('the work counts as done although the lock cannot be removed', () => {
    const path = newPath()
    expect(withFileLock(path, () => 'done', 100, windows({ removals: 1 }))).toBe('done')
    expect(existsSync(path)).toBe(true)
  })

  test('a folder that is not writable is not reported as a lock of another process', () => {
    const path = newPath()
    const acquire = () => withFileLock(path, () => 'mine', 100, windows({ writes: /a\.lock/ }))
    expect(acquire).toThrow(`${dirname(path)} cannot be written to (EPERM: operation not permitted)`)
  })

  test('a lock that is being removed for long is, and the folder is left as it was', () => {
    const path = newPath()
    const acquire = () => withFileLock(path, () => 'mine', 100, windows({ writes: /a\.lock$/ }))
    expect(acquire).toThrow('is locked by another process')
    expect(readdirSync(dirname(path))).toEqual([])
  })
})
