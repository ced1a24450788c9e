import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { loadConfig, type Config } from './load.js'
import { sandboxLevel } from './sandbox-level.js'
import { sandboxTerms } from './sandbox-terms.js'

const CWD = mkdtempSync(join(tmpdir(), 'scorpiox-terms-'))

function config(...overrides: readonly string[]): Config {
  const loaded = loadConfig({ programDir: '/opt/server', cwdFlag: CWD, overrides: ['STATE_DIR=/state', ...overrides] })
  return { ...loaded, home: '/home/ann', secretFiles: ['/home/ann/.scorpiox-env.txt', '/opt/server/scorpiox-env.txt'] }
}

test('auto is off over stdio and the workspace over HTTP; a level is itself', () => {
  expect(sandboxLevel('auto', false)).toBe('off')
  expect(sandboxLevel('auto', true)).toBe('workspace')
  for (const level of ['off', 'read-only', 'workspace', 'strict'] as const) {
    expect(sandboxLevel(level, true)).toBe(level)
    expect(sandboxLevel(level, false)).toBe(level)
  }
})

test('the state of the server, its settings and keys, and the usual secrets are hidden', () => {
  const { hidden, folder, fixed, project } = sandboxTerms(config('TLS_KEY=/etc/tls/key.pem'), ['strict'])
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
  expect(folder).toBe('/state/sandbox')
  expect(fixed).toEqual(['/opt/server'])
  expect(project).toBe(CWD)
})

test('a list adds to what is hidden, and can take away what is usual but nothing of the server', () => {
  const { hidden } = sandboxTerms(config('SANDBOX_HIDE=~/private/keys, .env,!~/.npmrc,!/state'), ['workspace'])
  expect(hidden).toContain('/home/ann/private/keys')
  expect(hidden).toContain(join(CWD, '.env'))
  expect(hidden).not.toContain('/home/ann/.npmrc')
  expect(hidden).toContain('/state')
})

test('the home of root is hidden from all but root', () => {
  expect(sandboxTerms({ ...config(), home: '/root' }, []).hidden).not.toContain('/root')
})

test('without a home nothing is looked for in the project instead', () => {
  const { hidden } = sandboxTerms({ ...config('SANDBOX_HIDE=~/x'), home: '' }, [])
  expect(hidden.filter((path) => path.includes('.ssh/') || path.startsWith(CWD))).toEqual([])
  expect(hidden).toContain('/etc/shadow')
})

test('what may be read and written and how much is taken as it is set', () => {
  const terms = sandboxTerms(
    config('SANDBOX_WRITE=~/.npm,/var/cache/x', 'SANDBOX_READ=~/.nvm', 'SANDBOX_PIDS=99', 'SANDBOX_MEMORY_MB=128'),
    ['workspace'],
  )
  expect(terms).toMatchObject({
    writable: ['/home/ann/.npm', '/var/cache/x'],
    readable: ['/home/ann/.nvm'],
    pids: 99,
    memoryBytes: 128 * 1024 * 1024,
  })
})
