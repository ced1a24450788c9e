import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { needs } from '../../../../test/support/runtime.js'
import {
  checkReadableRoot,
  checkWritableRoot,
  listSystemFolders,
  resolveHiddenPaths,
  resolveParents,
} from './real-paths.js'

test('a writable root that would break the sandbox is rejected', () => {
  const home = mkdtempSync(join(tmpdir(), 'scorpiox-home-'))
  mkdirSync(join(home, 'project'))
  for (const path of ['/', '/usr', '/etc', '/var', '/proc', '/proc/self', '/sys/fs', '/dev', home, join(home, '..')]) {
    expect(() => checkWritableRoot(path, home)).toThrow(Failure)
  }
  expect(() => checkWritableRoot(home, home)).toThrow('SANDBOX=read-only')
  expect(checkWritableRoot(join(home, 'project'), home)).toBe(join(home, 'project'))
  expect(checkWritableRoot(home, '')).toBe(home)
  expect(checkWritableRoot(home, '/')).toBe(home)
  expect(checkWritableRoot(home, '/nonexistent')).toBe(home)
})

test('a folder of programs that run outside of the sandbox, or in one, is rejected', () => {
  for (const path of ['/usr/local', '/usr/local/bin', '/usr/lib', '/usr/bin', '/etc/ssl'])
    expect(() => checkWritableRoot(path, ''), path).toThrow('would allow an escape')
  expect(checkWritableRoot('/usr/src', '')).toBe('/usr/src')
})

test('a missing file in a missing folder is protected by the first missing part of its path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-parents-'))
  symlinkSync(folder, join(folder, 'link'))
  const paths = ['a', 'b/c', 'd/e/f', 'link/g'].map((name) => join(folder, name))
  expect(resolveParents(paths)).toEqual(['a', 'b', 'd', 'g'].map((name) => join(folder, name)))
})

test('a private temporary folder cannot be a root', () => {
  for (const path of ['/tmp', '/dev/shm']) {
    expect(() => checkReadableRoot(path)).toThrow('every command a private')
    expect(() => checkWritableRoot(path, '')).toThrow(Failure)
  }
})

test('a link to a rejected folder is rejected', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-link-'))
  symlinkSync('/', join(folder, 'root'))
  symlinkSync(folder, join(folder, 'self'))
  expect(() => checkWritableRoot(join(folder, 'root'), '')).toThrow(Failure)
  expect(checkWritableRoot(join(folder, 'self'), '')).toBe(folder)
})

test('a missing folder is an error', () => {
  expect(() => checkWritableRoot('/nowhere/at/all', '')).toThrow('The sandbox needs /nowhere/at/all')
})

test('hidden paths are resolved, and missing ones skipped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-hidden-'))
  mkdirSync(join(folder, 'keys'))
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('keys', join(folder, 'link'))
  symlinkSync('nowhere', join(folder, 'dangling'))
  const names = ['link', 'file', 'dangling', 'absent', 'file/below', 'keys/absent']
  expect(resolveHiddenPaths(names.map((name) => join(folder, name)))).toEqual([
    { path: join(folder, 'keys'), access: 'hidden folder' },
    { path: join(folder, 'file'), access: 'hidden file' },
  ])
})

test('a socket is hidden by the path of its folder, because macOS resolves no path of a socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-socket-'))
  const server = createServer().listen(join(folder, 's'))
  await once(server, 'listening')
  symlinkSync(folder, join(folder, 'folder'))
  symlinkSync('s', join(folder, 'link'))
  const resolveFolder = (path: string): string => {
    if (!statSync(path).isDirectory()) throw new Error('EOPNOTSUPP')
    return realpathSync(path)
  }
  const paths = ['s', 'folder/s', 'link'].map((name) => join(folder, name))
  for (const rule of resolveHiddenPaths(paths, resolveFolder))
    expect(rule).toEqual({ path: join(folder, 's'), access: 'hidden file' })
  expect(resolveHiddenPaths(paths, resolveFolder)).toHaveLength(3)
  server.close()
})

test(
  'the system folders contain programs and settings',
  needs(process.platform === 'linux' ? undefined : 'the folders of Linux'),
  () => {
    const paths = listSystemFolders().map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['/usr', '/bin', '/etc']))
    expect(paths).not.toContain('/home')
  },
)
