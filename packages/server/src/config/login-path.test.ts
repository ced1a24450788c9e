import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'

import { afterEach, expect, test, vi } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { loadConfig } from './load-config.js'
import { completePath, type LoginPathDeps } from './login-path.js'

const SHORT = '/usr/bin:/bin:/usr/sbin:/sbin'
const HOME = '/Users/ann'

const { platform } = process
afterEach(() => {
  vi.unstubAllEnvs()
  Object.defineProperty(process, 'platform', { value: platform })
})

test('every part of the server gets the complete PATH', needs(MISSING.posixPaths), () => {
  const home = mkdtempSync(join(tmpdir(), 'scorpiox-path-'))
  mkdirSync(join(home, '.local', 'bin'), { recursive: true })
  vi.stubEnv('HOME', home)
  vi.stubEnv('PATH', SHORT)
  Object.defineProperty(process, 'platform', { value: 'darwin' })
  expect(loadConfig({ programDir: home }).childEnv.PATH?.split(':')).toContain(join(home, '.local', 'bin'))
  Object.defineProperty(process, 'platform', { value: 'linux' })
  expect(loadConfig({ programDir: home }).childEnv.PATH).toBe(SHORT)
})

/** A Mac with these files; a folder ends with a slash. */
function mac(files: Readonly<Record<string, string>>): LoginPathDeps {
  const names = Object.keys(files)
  return {
    platform: 'darwin',
    home: HOME,
    isDirectory: (path) => names.some((name) => name.startsWith(`${path}/`)),
    readText: (path) => files[path],
    listDirectory: (path) => [
      ...new Set(
        names.flatMap((name) => (name.startsWith(`${path}/`) ? (name.slice(path.length + 1).split('/')[0] ?? []) : [])),
      ),
    ],
  }
}

function pathWith(files: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = { PATH: SHORT }) {
  return completePath(env, mac(files)).PATH
}

const NVM = `${HOME}/.nvm`
const NODE_18_AND_22 = {
  [`${NVM}/versions/node/v18.20.8/bin/node`]: '',
  [`${NVM}/versions/node/v22.9.0/bin/node`]: '',
  [`${NVM}/versions/node/v22.20.1/bin/node`]: '',
}

test('folders of Homebrew, the user and version managers come before those of the system', () => {
  const files = { '/opt/homebrew/bin/git': '', [`${HOME}/.local/bin/uv`]: '', [`${HOME}/.volta/bin/node`]: '' }
  expect(pathWith(files)).toBe(`${HOME}/.local/bin:${HOME}/.volta/bin:/opt/homebrew/bin:${SHORT}`)
  expect(pathWith(files, {})).toBe(`${HOME}/.local/bin:${HOME}/.volta/bin:/opt/homebrew/bin:${SHORT}`)
  expect(pathWith({ [`${HOME}/.fnm/aliases/default/bin/node`]: '', '/opt/local/sbin/x': '' })).toBe(
    `${HOME}/.fnm/aliases/default/bin:/opt/local/sbin:${SHORT}`,
  )
  expect(pathWith({ '/data/asdf/shims/x': '' }, { PATH: SHORT, ASDF_DATA_DIR: '/data/asdf' })).toBe(
    `/data/asdf/shims:${SHORT}`,
  )
})

test.each([
  ['22', 'v22.20.1'],
  ['v18.20.8', 'v18.20.8'],
  ['node', 'v22.20.1'],
  ['lts/*', 'v18.20.8'],
  ['missing', undefined],
  ['../../../../etc', undefined],
  ['default', 'v22.20.1'],
])('the default version of nvm is %s: %s', (alias, version) => {
  const files = {
    ...NODE_18_AND_22,
    [`${NVM}/alias/default`]: `${alias}\n`,
    [`${NVM}/alias/lts/*`]: 'lts/hydrogen\n',
    [`${NVM}/alias/lts/hydrogen`]: 'v18.20.8\n',
  }
  expect(pathWith(files)).toBe(version === undefined ? SHORT : `${NVM}/versions/node/${version}/bin:${SHORT}`)
})

test('without a default version of nvm the newest is used', () => {
  expect(pathWith(NODE_18_AND_22)).toBe(`${NVM}/versions/node/v22.20.1/bin:${SHORT}`)
})

test('folders of /etc/paths and /etc/paths.d are added if they exist and are absolute', () => {
  const files = {
    '/etc/paths': '/usr/local/bin\n/usr/bin\n',
    '/etc/paths.d/tools': '/Library/Tools/bin\nrelative\n/missing\n',
    '/usr/local/bin/x': '',
    '/Library/Tools/bin/x': '',
    [posix.resolve('relative', 'x')]: '',
  }
  expect(pathWith(files)).toBe(`/usr/local/bin:/Library/Tools/bin:${SHORT}`)
})

test.each([`/Applications/Editor.app/bin:${SHORT}`, '/opt/homebrew/bin:/only/this'])(
  'to a PATH with a folder of the client or the user, missing folders are appended: %s',
  (PATH) => {
    const files = { '/opt/homebrew/bin/git': '', [`${HOME}/.local/bin/uv`]: '' }
    const missing = PATH.includes('homebrew') ? `${HOME}/.local/bin` : `${HOME}/.local/bin:/opt/homebrew/bin`
    expect(pathWith(files, { PATH })).toBe(`${PATH}:${missing}`)
  },
)

test('a complete PATH is kept, and so is that of other systems', () => {
  const files = { '/opt/homebrew/bin/git': '' }
  const complete = { PATH: `${SHORT}:/opt/homebrew/bin` }
  expect(completePath(complete, mac(files))).toBe(complete)
  const env = { PATH: SHORT }
  expect(completePath(env, { ...mac(files), platform: 'linux' })).toBe(env)
})
