import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { isCommitUncertain, isDiskFull, isSqliteBusy, toSqliteFailure } from './sqlite-errors.js'

const FILE = '/srv/state.db'

const complaints: [string, number, RegExp][] = [
  ['database or disk is full', 13, /^The disk of \/srv\/state\.db is full, nothing was changed; free some space/],
  ['disk I/O error', 778, /^The disk of \/srv\/state\.db failed \(disk I\/O error\); check the disk and the space/],
  [
    'attempt to write a readonly database',
    1032,
    /^\/srv\/state\.db cannot be written to .*make it and its folder writable/,
  ],
  ['unable to open database file', 14, /^\/srv\/state\.db cannot be opened .*readable and writable/],
  [
    'database disk image is malformed',
    11,
    /^\/srv\/state\.db is damaged .*left as it is; move it away .*-wal .*backup/,
  ],
  ['file is not a database', 26, /^\/srv\/state\.db is damaged/],
  ['database is locked', 5, /^\/srv\/state\.db is in use by other processes; try again/],
]

function complaintOf(message: string, errcode?: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', ...(errcode !== undefined && { errcode }) })
}

test.each(complaints)('%s is explained, with and without its code', (message, code, sentence) => {
  for (const error of [complaintOf(message, code), complaintOf(message)]) {
    expect(toSqliteFailure(FILE, error)?.message).toMatch(sentence)
    expect(toSqliteFailure(FILE, error)).toBeInstanceOf(Failure)
  }
})

test('a statement error is a bug, not a Failure; a Failure is returned unchanged', () => {
  const own = new Failure('there is no task 7')
  expect(toSqliteFailure(FILE, own)).toBe(own)
  for (const error of [
    complaintOf('UNIQUE constraint failed: plans.scope', 2067),
    complaintOf('no such table: x'),
    'x',
  ]) {
    expect(toSqliteFailure(FILE, error)).toBeUndefined()
  }
  // An unrelated message with the same text.
  expect(toSqliteFailure(FILE, new Error('database is locked'))).toBeUndefined()
})

test('distinguishes busy, full and uncertain by the lowest byte', () => {
  const codes = [5, 261, 517, 6, 15, 13, 10, 11, 0]
  expect(codes.filter((code) => isSqliteBusy(complaintOf('', code)))).toEqual([5, 261, 517, 6, 15])
  expect(isDiskFull(complaintOf('', 13))).toBe(true)
  expect(isCommitUncertain(complaintOf('', 1034))).toBe(true)
  expect(isCommitUncertain(complaintOf('', 13))).toBe(false)
})
