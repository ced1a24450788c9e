import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

import { expect, test } from 'vitest'

import { MISSING, skipIfMissing } from '../../../../test/support/runtime.js'
import { getStateDir } from './paths.js'

test('returns STATE_DIR, or a folder in the home directory', () => {
  expect(getStateDir({ STATE_DIR: '/var/lib/scorpiox' })).toBe(resolve('/var/lib/scorpiox'))
  expect(getStateDir({ STATE_DIR: 'here' })).toBe(resolve('here'))
  expect(getStateDir({ STATE_DIR: '' })).toBe(join(homedir(), '.scorpiox'))
})

test('requires STATE_DIR without a home, because a relative path would be in the project', (context) => {
  skipIfMissing(context, MISSING.changingHome)
  const { HOME, USERPROFILE } = process.env
  try {
    process.env.HOME = process.env.USERPROFILE = 'relative'
    expect(() => getStateDir({ STATE_DIR: '' })).toThrow('set STATE_DIR to a folder')
  } finally {
    if (HOME !== undefined) process.env.HOME = HOME
    if (USERPROFILE === undefined) delete process.env.USERPROFILE
    else process.env.USERPROFILE = USERPROFILE
  }
})
