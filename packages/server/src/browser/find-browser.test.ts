import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, win32 } from 'node:path'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { MISSING, needs } from '../../../../test/support/runtime.js'
import { createWritableRoots } from '../config/writable-roots.js'
import { findBrowser, listBrowserCandidates } from './find-browser.js'

const PLATFORMS = ['linux', 'darwin', 'win32', 'freebsd'] as const
const never = (): string => {
  throw new Failure('there is nowhere to unpack one')
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'scorpiox-find-'))
}

function program(path: string): string {
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  return path
}

test('only absolute paths are searched, whatever the environment contains', () => {
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('.', './bin', 'bin:/usr/bin::..', 'C:evil', '..\\x', '/opt', 'C:\\P'),
  )
  const names = ['PATH', 'HOME', 'ProgramFiles', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'] as const
  const env = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
  fc.assert(
    fc.property(env, fc.constantFrom(...PLATFORMS), (vars, platform) => {
      const paths = platform === 'win32' ? win32 : posix
      expect(listBrowserCandidates(platform, vars).filter((path) => !paths.isAbsolute(path))).toEqual([])
    }),
  )
})

test('each platform has its own candidates', () => {
  expect(
    listBrowserCandidates('win32', { ProgramFiles: 'C:\\Program Files', LOCALAPPDATA: 'C:\\Users\\a\\AppData\\Local' }),
  ).toEqual(
    expect.arrayContaining([
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
      'C:\\Program Files\\Microsoft\\Edge\\Application\\msedge.exe',
      'C:\\Users\\a\\AppData\\Local\\Google\\Chrome\\Application\\chrome.exe',
    ]),
  )
  // A 32-bit Node.js sees the folder of 64-bit programs under another name.
  expect(listBrowserCandidates('win32', { ProgramW6432: 'D:\\Programs' })).toContain(
    'D:\\Programs\\Google\\Chrome\\Application\\chrome.exe',
  )
  expect(listBrowserCandidates('darwin', { HOME: '/Users/a' })).toEqual(
    expect.arrayContaining([
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Users/a/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    ]),
  )
  const linux = listBrowserCandidates('linux', { PATH: '/usr/local/bin:/usr/bin' })
  expect(linux).toEqual(
    expect.arrayContaining(['/usr/bin/chromium', '/usr/local/bin/google-chrome', '/snap/bin/chromium']),
  )
  // Chrome in a later folder of the PATH is preferred to Edge in the first.
  expect(linux.indexOf('/usr/bin/google-chrome')).toBeLessThan(linux.indexOf('/usr/local/bin/microsoft-edge'))
})

test('the configured browser is used, and a wrong one is an error', needs(MISSING.fileModes), async () => {
  const here = folder()
  const wanted = program(join(here, 'my browser'))
  const plain = join(here, 'plain')
  writeFileSync(plain, '')
  const find = (path: string): Promise<string> => findBrowser({ browserPath: path, env: {}, unpackIn: never })
  expect(await find(wanted)).toBe(wanted)
  for (const wrong of [plain, here, join(here, 'absent')])
    await expect(find(wrong)).rejects.toThrow(`BROWSER_PATH is ${wrong}`)
  await expect(find('off')).rejects.toThrow('BROWSER_PATH is off')
})

test('a program on the PATH is found; folders and plain files are not', needs(MISSING.fileModes), async () => {
  const [first, second] = [folder(), folder()]
  mkdirSync(join(first, 'chromium-headless-shell'))
  writeFileSync(join(first, 'google-chrome'), '')
  const chromium = program(join(second, 'chromium'))
  expect(await findBrowser({ browserPath: '', env: { PATH: `${first}:${second}` }, unpackIn: never })).toBe(chromium)
})

test(
  'a browser that commands can write is skipped although it is on the PATH, and refused if it is configured',
  needs(MISSING.links),
  async () => {
    const project = folder()
    const elsewhere = folder()
    mkdirSync(join(project, 'bin'))
    const planted = program(join(project, 'bin', 'chromium'))
    const linked = join(elsewhere, 'chrome')
    symlinkSync(planted, linked)
    const own = program(join(elsewhere, 'chromium-browser'))
    const env = { PATH: `${join(project, 'bin')}:${elsewhere}` }
    const writableRoots = createWritableRoots([project], { home: '' })
    const search = { env, writableRoots, unpackIn: never }
    expect(await findBrowser({ ...search, browserPath: '' })).toBe(own)
    await expect(findBrowser({ ...search, browserPath: planted })).rejects.toThrow('it may have been replaced')
    expect(await findBrowser({ ...search, browserPath: planted, isSandboxOff: true })).toBe(planted)
    // The home folder and the root directory are never writable as a whole.
    const home = createWritableRoots([project, '/'], { home: project })
    expect(await findBrowser({ ...search, browserPath: '', writableRoots: home })).toBe(linked)
  },
)
