import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { Failure } from '../../lib/failure.js'
import { hiddenPlaces, readableRoot, systemParts, writableRoot } from './places.js'

test('what would be no sandbox is refused as a folder to write to', () => {
  const home = mkdtempSync(join(tmpdir(), 'scorpiox-home-'))
  mkdirSync(join(home, 'project'))
  for (const path of ['/', '/usr', '/etc', '/var', '/proc', '/proc/self', '/sys/fs', '/dev', home, join(home, '..')]) {
    expect(() => writableRoot(path, home)).toThrow(Failure)
  }
  expect(() => writableRoot(home, home)).toThrow('SANDBOX=read-only')
  expect(writableRoot(join(home, 'project'), home)).toBe(join(home, 'project'))
  expect(writableRoot(home, '')).toBe(home)
  expect(writableRoot(home, '/')).toBe(home)
  expect(writableRoot(home, '/nonexistent')).toBe(home)
})

test('a folder that every command has for itself cannot be worked in', () => {
  for (const path of ['/tmp', '/dev/shm']) {
    expect(() => readableRoot(path)).toThrow('of its own')
    expect(() => writableRoot(path, '')).toThrow(Failure)
  }
})

test('a link to such a folder is such a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-link-'))
  symlinkSync('/', join(folder, 'root'))
  symlinkSync(folder, join(folder, 'self'))
  expect(() => writableRoot(join(folder, 'root'), '')).toThrow(Failure)
  expect(writableRoot(join(folder, 'self'), '')).toBe(folder)
})

test('a folder that is not there is asked for', () => {
  expect(() => writableRoot('/nowhere/at/all', '')).toThrow('The sandbox needs /nowhere/at/all')
})

test('what is hidden is what links lead to; what is not there is passed over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-hidden-'))
  mkdirSync(join(folder, 'keys'))
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('keys', join(folder, 'link'))
  symlinkSync('nowhere', join(folder, 'dangling'))
  const names = ['link', 'file', 'dangling', 'absent', 'file/below', 'keys/absent']
  expect(hiddenPlaces(names.map((name) => join(folder, name)))).toEqual([
    { path: join(folder, 'keys'), as: 'hidden folder' },
    { path: join(folder, 'file'), as: 'hidden file' },
  ])
})

test.skipIf(process.platform !== 'linux')('the system has programs and settings', () => {
  const paths = systemParts().map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['/usr', '/bin', '/etc']))
  expect(paths).not.toContain('/home')
})
