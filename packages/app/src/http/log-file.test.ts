import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test, vi } from 'vitest'

import { MISSING, MODES, needs } from '../../../../test/support/runtime.js'
import { advanceMonotonicClock } from '../../../../test/support/clock.js'
import { openLogFile } from './log-file.js'

const fresh = (): string => join(mkdtempSync(join(tmpdir(), 'scorpiox-log-')), 'access.log')
const never = (): void => expect.unreachable()

test('lines are appended, also to an existing file, and other users cannot read them', () => {
  const path = fresh()
  for (const word of ['one', 'two']) {
    const file = openLogFile(path, never)
    file.write(`${word}\n`)
    file.close()
  }
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
  expect(statSync(path).mode & 0o007).toBe(MODES.private & 0o007)
})

test('a moved file is replaced by a new one; a truncated one is continued', () => {
  const path = fresh()
  const file = openLogFile(path, never)
  file.write('one\n')
  renameSync(path, `${path}.1`)
  advanceMonotonicClock(1000)
  file.write('two\n')
  truncateSync(path)
  file.write('three\n')
  file.close()
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('one\n')
  expect(readFileSync(path, 'utf8')).toBe('three\n')
})

test('a missing folder is reported once, and writing continues when it is back', needs(MISSING.openFolders), () => {
  const path = fresh()
  const onError = vi.fn<(error: unknown) => void>()
  const file = openLogFile(path, onError)
  rmSync(join(path, '..'), { recursive: true })
  advanceMonotonicClock(1000)
  for (let count = 0; count < 3; count++) file.write('lost\n')
  expect(onError).toHaveBeenCalledTimes(1)
  expect(String(onError.mock.calls[0]?.[0])).toContain('cannot be opened')
  mkdirSync(join(path, '..'))
  file.write('found\n')
  file.close()
  expect(readFileSync(path, 'utf8')).toBe('found\n')
})

test('a full disk is reported once', needs(existsSync('/dev/full') ? undefined : 'there is no /dev/full'), () => {
  const onError = vi.fn<(error: unknown) => void>()
  const file = openLogFile('/dev/full', onError)
  for (let count = 0; count < 3; count++) file.write('lost\n')
  expect(onError).toHaveBeenCalledTimes(1)
  file.close()
})

test('a path that cannot be a log is a Failure', () => {
  expect(() => openLogFile(tmpdir(), never)).toThrow('is not a file')
  expect(() => openLogFile('/nowhere/access.log', never)).toThrow('cannot be opened')
})

test('a FIFO is a Failure too, and does not block the start', needs(MISSING.fifos), () => {
  const pipe = fresh()
  execFileSync('mkfifo', [pipe])
  expect(() => openLogFile(pipe, never)).toThrow('is not a file')
})
