import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { MISSING, needs } from '../../../test/support/runtime.js'
import { makePrivateFolder, renameOver, replaceFile } from './atomic-file.js'

const folder = mkdtempSync(join(tmpdir(), 'scorpiox-atomic-'))
const path = join(folder, 'a.txt')

test('replaces the file, or leaves it unchanged if the commit is refused', () => {
  expect(replaceFile(path, 'first', () => true)).toBe(true)
  expect(replaceFile(path, 'second', () => false)).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('first')
  const fails = (): never => {
    throw new Error('no')
  }
  expect(() => replaceFile(path, 'third', fails)).toThrow('no')
  expect(readFileSync(path, 'utf8')).toBe('first')
  expect(readdirSync(folder)).toEqual(['a.txt'])
})

test(
  'directories are created for their owner only, and existing ones are not changed',
  needs(MISSING.fileModes),
  () => {
    chmodSync(folder, 0o755)
    makePrivateFolder(join(folder, 'a', 'b'))
    makePrivateFolder(join(folder, 'a', 'b'))
    const modes = [folder, join(folder, 'a'), join(folder, 'a', 'b')].map((made) => statSync(made).mode & 0o777)
    expect(modes).toEqual([0o755, 0o700, 0o700])
  },
)

test(
  'an impossible directory is an error, not an endless loop',
  needs(existsSync('/proc/self') ? undefined : 'there is no /proc'),
  () => {
    expect(() => makePrivateFolder('/proc/scorpiox/a')).toThrow('ENOENT')
  },
)

test('on Windows a file that another process has open is renamed over when it is closed', () => {
  const failing = (count: number, code: string) => {
    let calls = 0
    return {
      rename: () => {
        if (calls++ < count) throw Object.assign(new Error(code), { code })
      },
      calls: () => calls,
    }
  }
  const busy = failing(3, 'EPERM')
  renameOver('a', 'b', busy.rename, 'win32')
  expect(busy.calls()).toBe(4)
  const elsewhere = failing(3, 'EPERM')
  expect(() => renameOver('a', 'b', elsewhere.rename, 'linux')).toThrow('EPERM')
  const missing = failing(3, 'ENOENT')
  expect(() => renameOver('a', 'b', missing.rename, 'win32')).toThrow('ENOENT')
})
