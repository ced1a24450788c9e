import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { type Config, loadConfig } from '../config/load-config.js'
import { resolveSandboxLevel } from './sandbox-level.js'
import { createSandboxPolicy } from './sandbox-policy.js'

const CWD = mkdtempSync(join(tmpdir(), 'scorpiox-terms-'))

function config(...overrides: readonly string[]): Config {
  const loaded = loadConfig({ programDir: '/opt/server', cwdFlag: CWD, overrides: ['STATE_DIR=/state', ...overrides] })
  return { ...loaded, home: '/home/ann', secretFiles: ['/home/ann/.scorpiox-env.txt', '/opt/server/scorpiox-env.txt'] }
}

test('auto is off over stdio and workspace over HTTP; a level is unchanged', () => {
  expect(resolveSandboxLevel('auto', false)).toBe('off')
  expect(resolveSandboxLevel('auto', true)).toBe('workspace')
  for (const level of ['off', 'read-only', 'workspace', 'strict'] as const) {
    expect(resolveSandboxLevel(level, true)).toBe(level)
    expect(resolveSandboxLevel(level, false)).toBe(level)
  }
})

test('hides the state, settings and keys of the server, and the default secret paths', () => {
  const { hidden, workFolder, readOnly, project } = createSandboxPolicy(config('TLS_KEY=/etc/tls/key.pem'), ['strict'])
  expect(hidden).toEqual(
    expect.arrayContaining([
      '/state',
      tmpdir(),
      '/home/ann/.scorpiox-env.txt',
      '/opt/server/scorpiox-env.txt',
      '/etc/tls/key.pem',
      '/home/ann/.ssh',
      '/home/ann/.aws',
      '/etc/shadow',
      '/root',
    ]),
  )
  expect(workFolder).toBe('/state/sandbox')
  expect(readOnly).toEqual(['/opt/server', process.execPath])
  expect(project).toBe(CWD)
})

test('SANDBOX_HIDE adds paths and can remove default ones, but none of the server', () => {
  const { hidden } = createSandboxPolicy(config('SANDBOX_HIDE=~/private/keys, .env,!~/.npmrc,!/state'), ['workspace'])
  expect(hidden).toContain('/home/ann/private/keys')
  expect(hidden).toContain(join(CWD, '.env'))
  expect(hidden).not.toContain('/home/ann/.npmrc')
  expect(hidden).toContain('/state')
})

test('hides the settings of every client, and protects those that do not exist', () => {
  const { hidden, controlFiles } = createSandboxPolicy(config(), ['strict'])
  const files = ['.cursor/mcp.json', '.config/Code/User/mcp.json', '.codex/config.toml', '.claude.json']
  for (const file of files.map((name) => join('/home/ann', name))) {
    expect(hidden).toContain(file)
    expect(controlFiles).toContain(file)
  }
  for (const name of ['.config/BraveSoftware', '.thunderbird', '.config/sops', '.pulumi/credentials.json'])
    expect(hidden).toContain(join('/home/ann', name))
})

test('protects every folder in which packages of the server are searched', () => {
  const { controlFiles } = createSandboxPolicy(config(), ['workspace'])
  expect(controlFiles).toEqual(expect.arrayContaining(['/opt/node_modules', '/node_modules']))
  const inPackage = { ...config(), programDir: '/p/node_modules/x/dist', ownCode: '/p/node_modules/x/dist' }
  const folders = createSandboxPolicy(inPackage, []).controlFiles?.filter((path) => path.endsWith('/node_modules'))
  expect(folders).toEqual([
    '/p/node_modules/x/dist/node_modules',
    '/p/node_modules/x/node_modules',
    '/p/node_modules',
    '/node_modules',
  ])
})

test('hides /root unless it is the home', () => {
  expect(createSandboxPolicy({ ...config(), home: '/root' }, []).hidden).not.toContain('/root')
})

test('without a home no path resolves inside the project', () => {
  const { hidden } = createSandboxPolicy({ ...config('SANDBOX_HIDE=~/x'), home: '' }, [])
  expect(hidden.filter((path) => path.includes('.ssh/') || path.startsWith(CWD))).toEqual([])
  expect(hidden).toContain('/etc/shadow')
})

test('takes paths and limits from the settings', () => {
  const policy = createSandboxPolicy(
    config('SANDBOX_WRITE=~/.npm,/var/cache/x', 'SANDBOX_READ=~/.nvm', 'SANDBOX_PIDS=99', 'SANDBOX_MEMORY_MB=128'),
    ['workspace'],
  )
  expect(policy).toMatchObject({
    writable: ['/home/ann/.npm', '/var/cache/x'],
    readable: ['/home/ann/.nvm'],
    pids: 99,
    memoryBytes: 128 * 1024 * 1024,
  })
})
