import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

import { expect, test } from 'vitest'

import { MISSING, skipIfMissing } from '../../../../test/support/runtime.js'
import { expandPath, getStateDir, toNativePath } from './paths.js'

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

test('on Windows, paths are accepted as Git Bash and cmd write them', () => {
  const base = { cwd: 'D:\\work', home: 'C:\\Users\\ann' }
  const expand = (path: string): string => expandPath(path, base, 'win32')
  expect(expand('/c/Users/ann/a b.png')).toBe('C:\\Users\\ann\\a b.png')
  expect(expand('/d')).toBe('D:\\')
  expect(expand('/cd/x')).toBe('D:\\cd\\x')
  expect(expand('~\\a.png')).toBe('C:\\Users\\ann\\a.png')
  expect(expand('~/a.png')).toBe('C:\\Users\\ann\\a.png')
  expect(expand('sub\\a.png')).toBe('D:\\work\\sub\\a.png')
  expect(expandPath('/c/Users/ann', { cwd: '/work', home: '/home/ann' }, 'linux')).toBe('/c/Users/ann')
  expect(toNativePath('/c/a/b', 'win32')).toBe('C:\\a\\b')
  expect(toNativePath('/c/a/b', 'linux')).toBe('/c/a/b')
  expect(expandPath('~\\a', { cwd: '/work', home: '/home/ann' }, 'linux')).toBe('/work/~\\a')
})
