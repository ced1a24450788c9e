import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { makePrivateFolder, replaceFile } from './atomic-file.js'

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

test.skipIf(process.platform === 'win32')(
  'directories are created for their owner only, and existing ones are not changed',
  () => {
    chmodSync(folder, 0o755)
    makePrivateFolder(join(folder, 'a', 'b'))
    makePrivateFolder(join(folder, 'a', 'b'))
    const modes = [folder, join(folder, 'a'), join(folder, 'a', 'b')].map((made) => statSync(made).mode & 0o777)
    expect(modes).toEqual([0o755, 0o700, 0o700])
  },
)

test.skipIf(!existsSync('/proc/self'))('an impossible directory is an error, not an endless loop', () => {
  expect(() => makePrivateFolder('/proc/scorpiox/a')).toThrow('ENOENT')
})
